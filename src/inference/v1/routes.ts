import { Elysia } from 'elysia'
import { openRouteOptions } from '#kernel/http/plane'
import { callerOf } from './caller'
import {
  Audio,
  ChatAnswer,
  ChatRequest,
  EmbeddingsAnswer,
  EmbeddingsRequest,
  ImagesAnswer,
  ImagesRequest,
  SpeechRequest,
  Transcript,
  transcriptionForm,
  V1Models,
} from './schema'
import type { DataPlane } from './service'

const open = 'a locally trusted plane'
const errors = [
  'invalid_request',
  'model_not_found',
  'modality_not_supported',
  'credential_error',
  'upstream_error',
  'upstream_timeout',
  'engine_unavailable',
  'incomplete_weights',
  'no_capacity',
] as const

export const v1Routes = (v1: DataPlane) =>
  new Elysia({ normalize: false })
    .use(openRouteOptions())
    .get('/v1/models', () => v1.models(), { open, response: V1Models })
    .post('/v1/chat/completions', ({ body, request }) => v1.chat(body, callerOf(request)), {
      open,
      errors,
      body: ChatRequest,
      response: { 200: ChatAnswer },
    })
    .post('/v1/embeddings', ({ body, request }) => v1.embeddings(body, callerOf(request)), {
      open,
      errors,
      body: EmbeddingsRequest,
      response: { 200: EmbeddingsAnswer },
    })
    .post('/v1/audio/transcriptions', ({ request }) => v1.transcriptions(request), {
      open,
      errors: [...errors, 'payload_too_large'],
      detail: transcriptionForm,
      response: { 200: Transcript },
    })
    .post('/v1/audio/speech', ({ body, request }) => v1.speech(body, callerOf(request)), {
      open,
      errors,
      body: SpeechRequest,
      response: { 200: Audio },
    })
    .post('/v1/images/generations', ({ body, request }) => v1.images(body, callerOf(request)), {
      open,
      errors: [...errors, 'prompt_required', 'invalid_steps', 'image_generation_failed'],
      body: ImagesRequest,
      response: { 200: ImagesAnswer },
    })
