import { type Fields, fieldsOf, listOf } from './answer'
import { turnMetadata } from './client'
import { type Project, short } from './record'

/** How client tools tell the model where they work; the words are looked for first, which is many times faster. */
const WORDS = ['Primary working directory', 'Working directory', 'cwd']
const BEHIND_THEM = /\s*[:>]\s*([^\n<"]{1,1000})/y
/** The prompt of Claude Code has 26,000 characters before it says so; a text longer than this is something that was read. */
const MAX_SEARCHED = 100_000
const MAX_TEXTS = 12

/**
 * The project a request belongs to: what the developer named it, else the working tree's remote, else the working
 * directory. A path is personal data, so how much of it is kept is for the admin to say.
 */
export function projectOf(
  headers: Headers,
  body: Fields,
  attribution: 'off' | 'basename' | 'path',
): Project | null {
  if (attribution === 'off') return null
  const named = short(headers.get('x-service-project'))
  if (named) return { name: named, source: 'header' }
  const workspace = Object.entries(fieldsOf(turnMetadata(headers).workspaces))[0]
  const path = workspace?.[0] ?? directoryIn(body)
  if (path === null) return null
  const name = short(attribution === 'path' ? path : baseName(path)) ?? '/'
  const remote = remoteOf(fieldsOf(workspace?.[1]))
  return remote === null ? { name, source: 'cwd' } : { name, remote, source: 'remote' }
}

function directoryIn(body: Fields): string | null {
  for (const text of textsOf(body)) {
    const found = placeIn(text.slice(0, MAX_SEARCHED))
    if (found) return found
  }
  return null
}

function placeIn(text: string): string | null {
  for (const word of WORDS) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      BEHIND_THEM.lastIndex = at + word.length
      const found = BEHIND_THEM.exec(text)?.[1]?.trim()
      if (found) return found
    }
  }
  return null
}

/** The first texts of the system prompt and of the messages, of either protocol. */
function textsOf({ system, messages, input, instructions }: Fields): string[] {
  const parts = [system, instructions, ...listOf(messages).slice(0, 6), ...listOf(input).slice(0, 6)]
  return parts.flatMap(textIn).slice(0, MAX_TEXTS)
}

function textIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (Array.isArray(part)) return part.slice(0, MAX_TEXTS).flatMap(textIn)
  const { text, content } = fieldsOf(part)
  return typeof text === 'string' ? [text] : content === undefined ? [] : textIn(content)
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
