import { parseArgs } from 'node:util'

export interface HostOptions {
  /** The file of weights. */
  model: string
  port: number
  threads: number
  /** Where the native libraries of the executable are put. */
  nativesDir: string
  /** Tokens of all sequences together. */
  context: number
  /** Take less context where the memory is short of that. */
  fit: boolean
  /** Answers at once. */
  parallel: number
  batch: number | undefined
  /** Set where the model embeds texts. */
  pooling: string | undefined
  /** Turns other formats than WAV into it. */
  ffmpeg: string | undefined
}

const OPTIONS = {
  model: { type: 'string', default: '' },
  port: { type: 'string', default: '0' },
  threads: { type: 'string', default: '1' },
  natives: { type: 'string', default: '' },
  context: { type: 'string', default: '4096' },
  fit: { type: 'boolean', default: false },
  parallel: { type: 'string', default: '1' },
  batch: { type: 'string' },
  pooling: { type: 'string' },
  ffmpeg: { type: 'string' },
  version: { type: 'boolean', default: false },
} as const

/** What follows `tycho engine-host <engine>`. The adapters write it, so whatever is wrong with it is a bug of ours. */
export function hostOptions(args: string[]): HostOptions & { version: boolean } {
  const { values } = parseArgs({ args, options: OPTIONS })
  return {
    model: values.model,
    port: Number(values.port),
    threads: Number(values.threads),
    nativesDir: values.natives,
    context: Number(values.context),
    fit: values.fit,
    parallel: Number(values.parallel),
    batch: values.batch === undefined ? undefined : Number(values.batch),
    pooling: values.pooling,
    ffmpeg: values.ffmpeg,
    version: values.version,
  }
}
