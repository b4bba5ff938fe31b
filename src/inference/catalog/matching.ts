import type { EngineName } from '#engines/engine'
import { enginesOf, type Found, modalityOf } from './found'
import type { CatalogQuery, Size } from './schema'

const BILLION = 1e9
const SMALL = 3 * BILLION
const LARGE = 15 * BILLION

/** The filters that no source is trusted with, or that it does not know. */
export const matches =
  ({ search = '', size, modality }: CatalogQuery, engines: readonly EngineName[]) =>
  (found: Found): boolean =>
    (modality === undefined || modalityOf(found.task) === modality) &&
    (size === undefined || sizeOf(found.params) === size) &&
    enginesOf(found).some((engine) => engines.includes(engine)) &&
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => found.repo.toLowerCase().includes(word))

/** Whether it is thinned out after the source answered, so that more must be asked for than is shown. */
export const isThinned = ({ size, modality }: CatalogQuery): boolean =>
  size !== undefined || modality === 'chat' || modality === 'audio.transcription'

export const inOrder = (found: readonly Found[], { sort }: CatalogQuery): Found[] => {
  if (sort === 'downloads' || sort === 'likes') return found.toSorted((a, b) => b[sort] - a[sort])
  return [...found]
}

function sizeOf(params: number | null): Size | null {
  if (params === null) return null
  return params < SMALL ? 'small' : params > LARGE ? 'large' : 'medium'
}
