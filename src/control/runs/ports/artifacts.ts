import type { ArtifactPort } from '#graph/ports'
import { type ArtifactService, isArtifactRef } from '../../artifacts/service'

/** Artifacts by their ref, and by an address, which is downloaded first. */
export const artifactPort = (
  artifacts: Pick<ArtifactService, 'read' | 'put' | 'fetchToArtifact'>,
): ArtifactPort => ({
  async read(reference, { signal }) {
    const isStored = isArtifactRef(reference)
    const { ref } = isStored ? { ref: reference } : await artifacts.fetchToArtifact(reference, signal)
    const { file, contentType } = await artifacts.read(ref)
    return file.slice(0, file.size, contentType)
  },

  keep: async (blob) => artifacts.put(await blob.bytes(), blob.type),
})
