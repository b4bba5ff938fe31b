import type { Tone } from '../kit/badge'
import type { Job, Size, Sort, Variant } from './data'

export const SORT_OPTIONS: readonly { value: Sort; label: string }[] = [
  { value: 'trending', label: 'Trending' },
  { value: 'downloads', label: 'Most downloaded' },
  { value: 'likes', label: 'Most liked' },
]

export const SIZE_OPTIONS: readonly { value: Size; label: string; hint: string }[] = [
  { value: 'small', label: 'Small', hint: 'Below 3 billion parameters' },
  { value: 'medium', label: 'Medium', hint: '3 to 15 billion parameters' },
  { value: 'large', label: 'Large', hint: 'Above 15 billion parameters' },
]

export const FITS: Record<Variant['fit'], { tone: Tone; label: string }> = {
  fits: { tone: 'good', label: 'Fits' },
  tight: { tone: 'warn', label: 'Tight' },
  'too-large': { tone: 'bad', label: 'Too large' },
  unknown: { tone: 'neutral', label: 'Fit unknown' },
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
export const count = (value: number): string => compact.format(value)

/** `3 min left`; nothing where nobody can say. */
export function timeLeft(seconds: number | null): string | null {
  if (seconds === null) return null
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s left`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}

export const shareOf = ({ doneBytes, totalBytes }: Pick<Job, 'doneBytes' | 'totalBytes'>): number | null =>
  totalBytes === null || totalBytes === 0 ? null : doneBytes / totalBytes

export const ownerOf = (ref: string) => ref.split('/')[0] ?? ref
