import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { nativesFolder } from '../natives'
import type { HostOptions } from '../options'

/** The part of the addon that is used. Its package has no types. */
interface Addon {
  WhisperContext: new (options: { filePath: string; useGpu: boolean }) => WhisperContext
}

export interface WhisperContext {
  /** Samples of 16 bits at 16 kHz. */
  transcribeData(
    samples: ArrayBuffer,
    options: TranscribeOptions,
  ): { stop(): unknown; promise: Promise<Transcript> }
}

export interface TranscribeOptions {
  maxThreads: number
  /** A code, or `auto`. */
  language: string
  prompt?: string
  temperature?: number
}

export interface Transcript {
  result: string
  language?: string
  isAborted: boolean
  /** Times in milliseconds. */
  segments: { text: string; t0: number; t1: number }[]
}

/** Words of models that know more than English; one less are those of the others. */
const MULTILINGUAL_WORDS = 51_865

export async function whisperAddon({ nativesDir }: Pick<HostOptions, 'nativesDir'>): Promise<Addon> {
  const folder = await nativesFolder('whispercpp', nativesDir)
  try {
    return require(join(folder, 'index.node')) as Addon
  } catch (error) {
    const { message } = error as Error
    const hint = message.includes('libgomp') ? ' Install libgomp (`apt install libgomp1`).' : ''
    throw new Error(`The library of whisper.cpp cannot be loaded: ${message}.${hint}`)
  }
}

/** Whether a model knows more than English: its header says how many words it has. */
export function isMultilingual(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = new DataView(new ArrayBuffer(8))
    readSync(file, header)
    return header.getInt32(4, true) >= MULTILINGUAL_WORDS
  } finally {
    closeSync(file)
  }
}
