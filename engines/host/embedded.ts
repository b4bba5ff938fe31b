/** Native libraries inside the executable: all files of one engine, one after the other, compressed. */
export interface EmbeddedNatives {
  /** Of the package, and of these very bytes: the name of the folder that they are put into. */
  id: string
  version: string
  /** The compressed file, zstd. */
  archive: string
  files: readonly { name: string; bytes: number; sha256: string }[]
}

export type NativeEngine = 'llamacpp' | 'whispercpp'

/** Empty from source, where the packages themselves are used: `build/natives.ts` puts another file in place of this. */
export const embedded: Partial<Record<NativeEngine, EmbeddedNatives>> = {}

/** True in an executable, whose engines are those above or none. */
export const isExecutable = false
