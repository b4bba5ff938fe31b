import { type Fields, fieldsOf } from './answer'
import { turnMetadata } from './client'
import { type Project, short } from './record'

/**
 * The project a request belongs to: what the developer named it, else the working tree's remote, else the working
 * directory. A path is personal data, so how much of it is kept is for the admin to say.
 */
export function projectOf(
  headers: Headers,
  directory: string | null,
  attribution: 'off' | 'basename' | 'path',
): Project | null {
  if (attribution === 'off') return null
  const named = short(headers.get('x-service-project'))
  if (named) return { name: named, source: 'header' }
  const workspace = Object.entries(fieldsOf(turnMetadata(headers).workspaces))[0]
  const path = workspace?.[0] ?? directory
  if (path === null) return null
  const name = short(attribution === 'path' ? path : baseName(path)) ?? '/'
  const remote = remoteOf(fieldsOf(workspace?.[1]))
  return remote === null ? { name, source: 'cwd' } : { name, remote, source: 'remote' }
}

const baseName = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path

/** `https://user:token@github.com/acme/shop.git` and `git@github.com:acme/shop.git` as `github.com/acme/shop`. */
function remoteOf(workspace: Fields): string | null {
  const url = Object.values(fieldsOf(workspace.associated_remote_urls))[0]
  if (typeof url !== 'string') return null
  const bare = url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[?#].*$/, '')
    .replace(/\.git\/?$/, '')
  return short(bare.replace(/^([^:/]+):(?!\d+\/)/, '$1/'))
}
