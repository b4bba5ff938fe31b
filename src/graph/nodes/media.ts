import { asText } from '#kernel/json'
import { lowered } from '../generate'
import { configOf } from '../node-types'
import type { ArtifactRef, Call } from '../ports'
import { isObject } from '../read'
import { asOutcome, type Outcome, type StepContext, soleValue, tryEffect } from './step'

type MediaType = 'transcribe' | 'speak' | 'imagine'

export function transcribe(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { ports } = step.run
  return media(step, 'transcribe', async ({ model, params }, call) => {
    const audio = await ports.artifacts.read(referenceIn(value), call)
    return ports.models.transcribe({ model, audio, params: lowered(params) }, call)
  })
}

/** What a speech format is as a content type. */
const AUDIO_TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export function speak(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { ports } = step.run
  return media(step, 'speak', async ({ model, params }, call): Promise<ArtifactRef> => {
    const input = textToSay(value)
    const { format, ...rest } = params
    const spoken = typeof format === 'string' ? format : 'mp3'
    const audio = await ports.models.speak(
      { model, input, params: { ...lowered(rest), response_format: spoken } },
      call,
    )
    const type = Object.hasOwn(AUDIO_TYPES, spoken) ? AUDIO_TYPES[spoken]! : 'application/octet-stream'
    return ports.artifacts.keep(new Blob([audio], { type }), call)
  })
}

export function imagine(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { ports } = step.run
  return media(step, 'imagine', async ({ model, params }, call): Promise<ArtifactRef> => {
    const image = await ports.models.draw({ model, prompt: textToSay(value), params: lowered(params) }, call)
    return ports.artifacts.keep(new Blob([image], { type: 'image/png' }), call)
  })
}

function media(
  step: StepContext,
  type: MediaType,
  work: (request: { model: string; params: Record<string, unknown> }, call: Call) => Promise<unknown>,
): Promise<Outcome> {
  const config = configOf(type, step.node)
  const { model, params } = step.run.document.models[config.model]!
  step.attributes['gen_ai.request.model'] = model
  const request = { model, params: { ...params, ...config.params } }
  return asOutcome(
    step,
    tryEffect(step, step.place, config, (call) => work(request, call)),
  )
}

/** An artifact's reference, or a URL; never a path on this machine. */
function referenceIn(value: unknown): string {
  const reference = isObject(value) ? value.ref : value
  if (typeof reference === 'string' && /^(art_|https?:\/\/)/.test(reference)) return reference
  throw new Error(
    'There is no recording in the input: it takes an artifact ({ref: "art_…"}), its id, or an http(s) URL.',
  )
}

function textToSay(value: unknown): string {
  const text = value === null ? '' : asText(value)
  if (text.trim() === '') throw new Error('The input is empty.')
  return text
}
