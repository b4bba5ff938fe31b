import type { Modality } from '../../src/inference/models/schema'
import { texts as registries } from '../texts/registries'

const texts = registries.labels

export const MODALITY_LABELS: Record<Modality, string> = texts.modalities

export const MODALITY_OPTIONS = (Object.keys(MODALITY_LABELS) as Modality[]).map((value) => ({
  value,
  label: MODALITY_LABELS[value],
  hint: texts.modalityHints[value],
}))

export const BINDING_LABELS: Record<string, string> = {
  'standard-compatible': texts.provider,
  llamacpp: 'llama.cpp',
  mlx: 'MLX',
}

/** The programs behind a binding: not every modality of llama.cpp's family is served by llama.cpp itself. */
const PROGRAMS: Record<string, string> = {
  'llamacpp audio.transcription': 'whisper.cpp',
  'llamacpp images.generation': 'stable-diffusion.cpp',
}

/** Who serves it, as a person calls it. */
export const engineName = (binding: string, modality?: string): string =>
  PROGRAMS[`${binding} ${modality}`] ?? BINDING_LABELS[binding] ?? binding

const UNITS = ['kB', 'MB', 'GB', 'TB']

/** `4.68 GB`, in powers of 1000 as disks and model hubs count. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3))
  return `${threeFigures(bytes / 1000 ** power)} ${UNITS[power - 1]}`
}

/** `340 ms`, `2.41 s`, `3 min`. */
export function shortTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${threeFigures(ms / 1000)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `12 s`, for what changes while one looks. */
export const wholeSeconds = (ms: number): string => `${Math.floor(ms / 1000)} s`

const threeFigures = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
