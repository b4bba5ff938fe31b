import type { ArtifactService } from '../artifacts/service'

/** Larger values are kept as artifacts, so that the journal's rows stay small. */
const MAX_INLINE_BYTES = 256 * 1024

/** A value as the journal has it: as JSON, or by the artifact that holds the JSON. */
export type Kept = { json: string; ref: null } | { json: null; ref: string }

export type Payloads = ReturnType<typeof payloads>

export function payloads({ artifacts }: { artifacts: Pick<ArtifactService, 'put' | 'read' | 'remove'> }) {
  return {
    async keep(value: unknown): Promise<Kept> {
      const json = JSON.stringify(value ?? null)
      // A character is at least a byte and at most three: most values need no counting.
      const isSmall = json.length * 3 <= MAX_INLINE_BYTES || Buffer.byteLength(json) <= MAX_INLINE_BYTES
      if (isSmall) return { json, ref: null }
      const { ref } = await artifacts.put(Buffer.from(json), 'application/json')
      return { json: null, ref }
    },

    async read({ json, ref }: { json: string | null; ref: string | null }): Promise<unknown> {
      if (ref === null) return JSON.parse(json ?? 'null')
      const { file } = await artifacts.read(ref)
      return file.json()
    },

    /** When the run has ended; what is left behind by a crash is only a file too many. */
    async drop(refs: readonly string[]) {
      for (const ref of refs) await artifacts.remove(ref)
    },
  }
}
