/** `4.7 GB`, in powers of 1000 as disks and model hubs count. */
export function bytesText(bytes: number): string {
  const unit = UNITS.find(({ size }) => bytes >= size) ?? UNITS.at(-1)!
  const value = bytes / unit.size
  return `${value < 10 && unit.size > 1 ? value.toFixed(1) : Math.round(value)} ${unit.name}`
}

const UNITS = [
  { size: 1e9, name: 'GB' },
  { size: 1e6, name: 'MB' },
  { size: 1e3, name: 'kB' },
  { size: 1, name: 'bytes' },
]
