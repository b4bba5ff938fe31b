import { isHttpUrl } from './urls'

const MAX_REGISTRIES = 20
const MAX_LABEL_LENGTH = 100

/** A registry of MCP servers besides the two built in, as the environment and the stored settings spell it. */
export interface Registry {
  id: string
  label: string
  url: string
}

/** What `isRegistryList` asks for, after "must be". */
export const REGISTRY_LIST =
  'a list of up to 20 {id, label, url}: ids of small letters, digits, - and _, each once and none of official and github; http or https URLs'

export function isRegistryList(value: unknown): value is Registry[] {
  if (!Array.isArray(value) || value.length > MAX_REGISTRIES || !value.every(isRegistry)) return false
  // The two built-in registries keep their ids.
  const ids = ['official', 'github', ...value.map(({ id }) => id)]
  return new Set(ids).size === ids.length
}

function isRegistry(value: unknown): value is Registry {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) return false
  const { id, label, url } = value as Partial<Record<keyof Registry, unknown>>
  return (
    typeof id === 'string' &&
    /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id) &&
    typeof label === 'string' &&
    label.trim() !== '' &&
    label.length <= MAX_LABEL_LENGTH &&
    isHttpUrl(url)
  )
}
