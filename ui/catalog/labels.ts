import type { Tone } from '../kit/badge'
import { texts } from '../texts/catalog'
import type { Job, Size, Sort, Variant } from './data'

export const SORT_OPTIONS: readonly { value: Sort; label: string }[] = [
  { value: 'trending', label: texts.sorts.trending },
  { value: 'downloads', label: texts.sorts.downloads },
  { value: 'likes', label: texts.sorts.likes },
]

export const SIZE_OPTIONS: readonly { value: Size; label: string; hint: string }[] = [
  { value: 'small', ...texts.sizes.small },
  { value: 'medium', ...texts.sizes.medium },
  { value: 'large', ...texts.sizes.large },
]

export const FITS: Record<Variant['fit'], { tone: Tone; label: string }> = {
  fits: { tone: 'good', label: texts.fits.fits },
  tight: { tone: 'warn', label: texts.fits.tight },
  'too-large': { tone: 'bad', label: texts.fits['too-large'] },
  unknown: { tone: 'neutral', label: texts.fits.unknown },
}

/** `3 min left`; nothing where nobody can say. */
export function timeLeft(seconds: number | null): string | null {
  if (seconds === null) return null
  return texts.progress.timeLeft(roughTime(seconds))
}

function roughTime(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const shareOf = ({ doneBytes, totalBytes }: Pick<Job, 'doneBytes' | 'totalBytes'>): number | null =>
  totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes

export const ownerOf = (ref: string) => ref.split('/')[0] ?? ref
