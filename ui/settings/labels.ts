import { texts } from '../texts/settings'
import { count } from '../texts/words'

const LABELS: Record<string, string> = texts.labels

export function labelOf(key: string): string {
  if (LABELS[key]) return LABELS[key]
  const words = key.slice(key.indexOf('.') + 1).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const APPLIES: Record<string, string | undefined> = texts.applies

type Unit = keyof typeof texts.units

const UNITS: [RegExp, Unit][] = [
  [/_days$/, 'days'],
  [/_hours$/, 'hours'],
  [/_tokens$/, 'tokens'],
  [/_s$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_chars$/, 'characters'],
]

export const unitOf = (key: string): Unit | null => UNITS.find(([end]) => end.test(key))?.[1] ?? null

const KIB = 1024

/** A value in the words of its unit: `262144` bytes is 256 KiB. */
export function amount(value: number, key: string): string {
  const unit = unitOf(key)
  if (unit !== 'bytes' || value < KIB)
    return [count(value), unit && texts.units[unit]].filter(Boolean).join(' ')
  const [name, size] =
    value >= KIB ** 3 ? ['GiB', KIB ** 3] : value >= KIB ** 2 ? ['MiB', KIB ** 2] : ['KiB', KIB]
  return `${count(Math.round((value / (size as number)) * 100) / 100)} ${name}`
}

/** `1 KiB` and `10 MiB`, or `1` and `30 days`: a unit that both ends share is said once. */
export const rangeOf = (min: number, max: number, key: string): [min: string, max: string] => [
  unitOf(key) === 'bytes' ? amount(min, key) : count(min),
  amount(max, key),
]
