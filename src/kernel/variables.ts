import { tryParse } from './json'
import { isRegistryList, REGISTRY_LIST, type Registry } from './mcp-registries'
import { isHttpUrl } from './urls'

/** One variable: how it reads in the docs, and how its text becomes a value. `parse` throws what is wrong, to follow the name. */
export interface Variable<T> {
  type: string
  /** How the default reads in the docs. */
  fallback: string
  help: string
  parse(raw: string | undefined): T
}

export function text(fallback: string, help: string, value: string): Variable<string>
export function text(fallback: string, help: string): Variable<string | undefined>
export function text(fallback: string, help: string, value?: string): Variable<string | undefined> {
  return { type: 'text', fallback, help, parse: (raw) => raw ?? value }
}

/** Secrets, comma-separated; commas alone would pass for none and lose what is stored. */
export function keys(fallback: string, help: string): Variable<string | undefined> {
  return {
    type: 'text',
    fallback,
    help,
    parse(raw) {
      if (raw !== undefined && items(raw).length === 0) throw new Error('must hold at least one key.')
      return raw
    },
  }
}

export function url(fallback: string, help: string, ending = ''): Variable<string | undefined> {
  return {
    type: 'URL',
    fallback,
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      const value = raw.replace(/\/+$/, '')
      if (!isHttpUrl(value)) throw new Error('must be an http or https URL without a user name or password.')
      if (!value.endsWith(ending)) throw new Error(`must end in ${ending}.`)
      return value
    },
  }
}

/** A hub, or a folder with the same files. */
export function catalog(fallback: string, help: string): Variable<string> {
  return {
    type: 'URL',
    fallback,
    help,
    parse(raw) {
      if (raw === undefined) return fallback
      const value = raw.replace(/(?<!\/)\/+$/, '')
      const isFolder = /^file:\/\/\/./.test(value) && URL.canParse(value)
      if (!isFolder && !isHttpUrl(value)) {
        throw new Error('must be an http or https URL without a user name or password, or file:///folder.')
      }
      if (!isFolder && /[?#]|\/api$/.test(value)) throw new Error('must end with the address, without /api.')
      return value
    },
  }
}

export function list(help: string): Variable<string[] | undefined> {
  return {
    type: 'list',
    fallback: 'unset',
    help,
    parse: (raw) => (raw === undefined ? undefined : items(raw)),
  }
}

export function origins(fallback: string, help: string): Variable<string[] | undefined> {
  return {
    type: 'list',
    fallback,
    help,
    parse: (raw) =>
      raw === undefined
        ? undefined
        : items(raw).map((item) => {
            const origin = isHttpUrl(item) ? new URL(item) : null
            if (origin?.pathname !== '/' || origin.search || origin.hash) {
              throw new Error('must be origins such as http://localhost:5174, comma-separated.')
            }
            return origin.origin
          }),
  }
}

export function registries(help: string): Variable<Registry[] | undefined> {
  return {
    type: 'JSON of `[{id, label, url}]`',
    fallback: 'unset',
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      const value = tryParse(raw)
      if (!isRegistryList(value)) throw new Error(`must be ${REGISTRY_LIST}.`)
      return value
    },
  }
}

export function port(value: number, help: string): Variable<number> {
  return { type: 'port', fallback: String(value), help, parse: (raw) => wholeNumber(raw, 0, 65_535) ?? value }
}

export function integer(help: string, min: number, max: number): Variable<number | undefined> {
  return { type: `${min} to ${max}`, fallback: 'unset', help, parse: (raw) => wholeNumber(raw, min, max) }
}

/** A whole number that has a default. */
export function amount(value: number, help: string, min: number, max: number): Variable<number> {
  return {
    type: `${min} to ${max}`,
    fallback: String(value),
    help,
    parse: (raw) => wholeNumber(raw, min, max) ?? value,
  }
}

export function decimal(help: string, min: number, max: number): Variable<number | undefined> {
  return {
    type: `${min} to ${max}`,
    fallback: 'unset',
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      const value = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN
      if (!(value >= min && value <= max)) throw new Error(`must be a number from ${min} to ${max}.`)
      return value
    },
  }
}

export function flag(fallback: string, help: string): Variable<boolean | undefined> {
  return {
    type: 'flag',
    fallback,
    help,
    parse(raw) {
      if (raw === undefined) return undefined
      if (/^(true|1|yes|on)$/i.test(raw)) return true
      if (/^(false|0|no|off)$/i.test(raw)) return false
      throw new Error('must be true or false.')
    },
  }
}

export function choice<const T extends string, D extends T | undefined>(
  choices: readonly T[],
  value: D,
  help: string,
): Variable<T | D> {
  return {
    type: choices.join(', '),
    fallback: value ?? 'unset',
    help,
    parse(raw) {
      if (raw === undefined) return value
      const found = choices.find((known) => known === raw.toLowerCase())
      if (!found) throw new Error(`must be one of ${choices.join(', ')}.`)
      return found
    },
  }
}

function wholeNumber(raw: string | undefined, min: number, max: number): number | undefined {
  if (raw === undefined) return undefined
  const value = /^\d+$/.test(raw) ? Number(raw) : Number.NaN
  if (!(value >= min && value <= max)) {
    throw new Error(`must be a whole number from ${min} to ${max}.`)
  }
  return value
}

const items = (raw: string): string[] =>
  raw
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
