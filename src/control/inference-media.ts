import type { Params } from '#graph/ports'
import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import { beginning, refusal, unreachable } from './inference-refusal'

/** A long recording's text, or a JSON answer around it. */
const MAX_TEXT_CHARS = 16 * 1024 * 1024
const MAX_AUDIO_BYTES = 256 * 1024 * 1024
/** Base64 of some large images. */
const MAX_IMAGES_CHARS = 256 * 1024 * 1024

interface CallOptions {
  runId: string
  signal: AbortSignal
}

export type Media = ReturnType<typeof mediaClient>

/** Speech and images of the inference plane. `url` ends in `/v1`; failures are those of `inferenceClient`. */
export function mediaClient({ url }: { url: string }) {
  async function post(path: string, body: FormData | string, { runId, signal }: CallOptions) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'x-service-run-id': runId,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      body,
      signal,
      // A render may take minutes; the run's own signal ends it.
      timeout: false,
    } as RequestInit).catch((error) => {
      throw signal.aborted ? error : unreachable(url, error)
    })
    if (!response.ok) throw await refusal(response)
    return response
  }

  return {
    /** What is said in a recording. */
    async transcribe(
      { model, params, audio }: { model: string; params: Params; audio: Blob },
      options: CallOptions,
    ): Promise<string> {
      const form = new FormData()
      form.set('model', model)
      for (const [name, value] of Object.entries(params)) form.set(name, asText(value))
      const extension = EXTENSIONS[audio.type.split(';')[0]!.trim()] ?? 'wav'
      form.set('file', audio, `recording.${extension}`)
      const response = await post('/audio/transcriptions', form, options)
      return textOf(await beginning(response, MAX_TEXT_CHARS))
    },

    /** Spoken text, in the format that the params name. */
    async speak(
      { model, input, params }: { model: string; input: string; params: Params },
      options: CallOptions,
    ): Promise<Blob> {
      const response = await post('/audio/speech', JSON.stringify({ ...params, model, input }), options)
      const bytes = await wholeBytes(response, MAX_AUDIO_BYTES)
      if (bytes.byteLength === 0) throw bad('it sent no audio')
      return new Blob([bytes], { type: response.headers.get('content-type') ?? '' })
    },

    /** The image that was drawn, as PNG; the first where the params ask for several. */
    async draw(
      { model, prompt, params }: { model: string; prompt: string; params: Params },
      options: CallOptions,
    ): Promise<Blob> {
      const asked = { ...params, model, prompt, response_format: 'b64_json' }
      const response = await post('/images/generations', JSON.stringify(asked), options)
      const { data, error } = parsed(await beginning(response, MAX_IMAGES_CHARS))
      // A slow render's failure comes behind a 200 that was committed long before.
      if (error) throw reported(error)
      return new Blob([pictureOf(Array.isArray(data) ? data[0] : undefined)], { type: 'image/png' })
    },
  }
}

/** Servers tell the format of a recording by its name. */
const EXTENSIONS: Record<string, string> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/aac': 'aac',
  'audio/ogg': 'ogg',
  'audio/webm': 'webm',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

/** JSON with `text`, or the bare text where `response_format` asked for that. */
function textOf(answer: string): string {
  try {
    const { text } = JSON.parse(answer)
    return typeof text === 'string' ? text : answer
  } catch {
    return answer
  }
}

function parsed(text: string): { data?: unknown; error?: { message?: unknown; code?: unknown } } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    throw bad('it is not JSON')
  }
}

function pictureOf(item: unknown): Uint8Array<ArrayBuffer> {
  const { b64_json } = (item ?? {}) as { b64_json?: unknown }
  if (typeof b64_json !== 'string' || b64_json === '') throw bad('it holds no image in base64')
  return Buffer.from(b64_json, 'base64')
}

async function wholeBytes({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.byteLength
    if (size > maxBytes) throw bad(`it is larger than ${maxBytes / 1024 / 1024} MiB`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const reported = ({ message, code }: { message?: unknown; code?: unknown }) =>
  new AppError(
    typeof code === 'string' && code ? code : 'upstream_error',
    typeof message === 'string' && message ? message : 'The image could not be drawn.',
  )

const bad = (why: string) => new AppError('upstream_error', `The model's answer cannot be used: ${why}.`)
