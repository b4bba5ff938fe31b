const SECOND_NS = 1e9
const MINUTE_NS = 60 * SECOND_NS

/** A duration at a glance: three figures that matter. */
export function shortDuration(ns: number): string {
  if (ns < 1e3) return ns <= 0 ? '0 ms' : '<1 µs'
  if (ns < 1e6) return `${figures(ns / 1e3)} µs`
  // Whole milliseconds were measured in them: more figures would pretend.
  if (ns < SECOND_NS) return `${ns % 1e6 === 0 ? ns / 1e6 : figures(ns / 1e6)} ms`
  if (ns < MINUTE_NS) return `${figures(ns / SECOND_NS)} s`
  return longDuration(ns)
}

/** The same to the microsecond. */
export function exactDuration(ns: number): string {
  const micros = Math.round(ns / 1e3)
  if (micros < 1e3) return `${micros} µs`
  if (micros < 1e6) return `${(micros / 1e3).toFixed(3)} ms`
  if (micros < 60e6) return `${(micros / 1e6).toFixed(6)} s`
  const minutes = Math.floor(micros / 60e6)
  return `${minutes} min ${((micros - minutes * 60e6) / 1e6).toFixed(6)} s`
}

/** A label of the time axis: as many decimals as the distance between two labels calls for. */
export function axisLabel(atNs: number, stepNs: number): string {
  if (atNs === 0) return '0'
  if (stepNs >= MINUTE_NS) return longDuration(atNs)
  const [unit, size] = atNs >= SECOND_NS ? ['s', SECOND_NS] : atNs >= 1e6 ? ['ms', 1e6] : ['µs', 1e3]
  const decimals = Math.min(6, Math.max(0, Math.ceil(Math.log10(size / stepNs) - 1e-9)))
  return `${(atNs / size).toFixed(decimals)} ${unit}`
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`
  const units = ['KiB', 'MiB', 'GiB']
  const power = Math.min(units.length, Math.floor(Math.log2(count) / 10))
  return `${figures(count / 1024 ** power)} ${units[power - 1]}`
}

function longDuration(ns: number): string {
  const seconds = Math.round(ns / SECOND_NS)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = seconds % 60
  if (hours > 0) return `${hours} h ${minutes} min`
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`
}

const figures = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
