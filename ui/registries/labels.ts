import type { Modality } from '../../src/inference/models/schema'

export const MODALITY_LABELS: Record<Modality, string> = {
  chat: 'Chat',
  vision: 'Vision',
  embeddings: 'Embeddings',
  'audio.transcription': 'Speech to text',
  'audio.speech': 'Text to speech',
  'images.generation': 'Images',
}

const HINTS: Partial<Record<Modality, string>> = {
  chat: 'Text in, text out',
  vision: 'Text and pictures in, text out',
  embeddings: 'Text in, vectors out',
}

export const MODALITY_OPTIONS = (Object.keys(MODALITY_LABELS) as Modality[]).map((value) => ({
  value,
  label: MODALITY_LABELS[value],
  hint: HINTS[value],
}))

export const BINDING_LABELS: Record<string, string> = {
  'standard-compatible': 'Remote',
  llamacpp: 'llama.cpp',
  mlx: 'MLX',
}

/** `llamacpp:images.generation` as a person calls it. */
export function engineLabel(name: string): string {
  const [engine = '', modality = 'chat'] = name.split(':')
  return `${BINDING_LABELS[engine] ?? engine} · ${MODALITY_LABELS[modality as Modality] ?? modality}`
}
