import type { QueryClient } from '@tanstack/react-query'
import type { Modality } from '../../src/inference/models/schema'
import { control, inference, ok, request } from '../api'
import { isTalkative, type ModelView } from '../registries/data'
import { render, speak, transcribe } from '../registries/trial/calls'
import { texts as chat } from '../texts/chat'
import type { Question } from './conversations'
import type { Said } from './follow'
import { type ChatInput, fileOf, textOf } from './input'

const texts = chat.failures

/** What models that do not talk do with what they are asked. */
export type Task = Extract<Modality, 'images.generation' | 'audio.speech' | 'audio.transcription'>

const TASKS: readonly string[] = ['images.generation', 'audio.speech', 'audio.transcription']
const PICTURE_SIZE = '512x512'

const isTask = (modality: string): modality is Task => TASKS.includes(modality)

/** Whether one can ask it something in a chat; embeddings are for programs. */
export const isAskable = ({ binding }: ModelView) => isTalkative(binding.modality) || isTask(binding.modality)

/** What a question is, where its model does not talk; null where there will be a run. */
export async function taskOf({ model, agent }: Question, queries: QueryClient): Promise<Task | null> {
  if (agent !== undefined) return null
  const models = await queries.ensureQueryData({
    queryKey: ['inference', 'models'],
    queryFn: async () => (await ok(inference.admin.models.get())).models as ModelView[],
  })
  const modality = models.find(({ logicalId }) => logicalId === model)?.binding.modality
  return modality !== undefined && isTask(modality) ? modality : null
}

/**
 * Asks the data plane itself, and adds the turn to the session, for there is no run to do so (interface, 12). What is not
 * text becomes an artifact.
 */
export async function perform(
  task: Task,
  { sessionId, model, input }: Question,
  signal: AbortSignal,
): Promise<Said> {
  const output = await answerTo(task, model, input, signal)
  const turn = {
    user_content: typeof input === 'string' ? input : JSON.stringify(input),
    assistant_content: output,
  }
  if (output.trim() === '') return { output, messageId: null }
  const { messages } = await ok(control.sessions({ id: sessionId }).turns.post(turn))
  return { output, messageId: messages[0]!.id }
}

async function answerTo(task: Task, model: string, input: ChatInput, signal: AbortSignal): Promise<string> {
  switch (task) {
    case 'images.generation': {
      const [picture] = await render(model, { prompt: said(input), size: PICTURE_SIZE }, signal)
      if (!picture) throw new Error(texts.noPicture)
      return JSON.stringify(await upload(bytesOf(picture)))
    }
    case 'audio.speech':
      return JSON.stringify(await upload(await speak(model, { input: said(input), voice: '' }, signal)))
    case 'audio.transcription': {
      const file = fileOf(input)
      if (!file) throw new Error(texts.noSound)
      const sound = await (await request('control', `/artifacts/${encodeURIComponent(file.ref)}`)).blob()
      const recording = new File([sound], 'recording', { type: file.contentType })
      return (await transcribe(model, recording, signal)).trim()
    }
  }
}

/** The security policy of the page lets nothing be fetched but its own planes, not even what is in the address itself. */
function bytesOf(dataUri: string): Blob {
  const [head = '', base64 = ''] = dataUri.split(',', 2)
  const type = /^data:([^;]+)/.exec(head)?.[1]
  return new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type })
}

function said(input: ChatInput): string {
  const text = textOf(input).trim()
  if (text === '') throw new Error(texts.noWords)
  return text
}

/** Bytes as a file of this install, to be named where a value is wanted. @throws {ApiError} */
export async function upload(blob: Blob): Promise<{ ref: string; contentType: string }> {
  const contentType = blob.type || 'application/octet-stream'
  const answer = await request('control', '/artifacts', {
    method: 'POST',
    body: blob,
    headers: { 'content-type': contentType },
  })
  const { ref } = (await answer.json()) as { ref: string }
  return { ref, contentType }
}
