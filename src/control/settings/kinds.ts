import type { Env } from '#kernel/env'
import { isRegistryList, REGISTRY_LIST, type Registry } from '#kernel/mcp-registries'
import { isHttpUrl } from '#kernel/urls'

export const TYPES = ['bool', 'int', 'float', 'str', 'enum', 'list[str]', 'list[registry]', 'secret'] as const

/** From when on a changed value counts; nothing asks for a restart. */
export const APPLIES = ['live', 'next_run', 'next_sign_in', 'next_ingest'] as const

/** What of the deployment a default may depend on. */
export interface Deployment {
  env: Env
  /** The control plane's own address, as the browser reaches it. */
  baseUrl: string
}

interface Constraints {
  min: number | null
  max: number | null
  choices: readonly string[] | null
  /** May be unset: its value is then `null`. */
  nullable: boolean
}

/** A variable that locks the setting (`pin`), or is the most that it may be set to (`cap`). */
interface EnvironmentRule {
  variable: keyof Env
  rule: 'pin' | 'cap'
}

/** One row of the catalog. `T` is what readers of the setting get. */
export interface Setting<T = unknown> {
  type: (typeof TYPES)[number]
  default(deployment: Deployment): T
  /** How the default reads in the docs, where it depends on the environment. */
  defaultText?: string
  constraints: Constraints
  /** What a valid value is, after "must be". */
  expected: string
  accepts(value: unknown): boolean
  environment?: EnvironmentRule
  apply: (typeof APPLIES)[number]
  description: string
}

/** Name → value, replaced whole; readers of the API see the names alone. */
export type Headers = Record<string, string>

interface Common {
  description: string
  environment?: EnvironmentRule
  apply?: (typeof APPLIES)[number]
}
interface Range extends Common {
  default: number
  min: number
  max: number
}

const UNBOUNDED: Constraints = { min: null, max: null, choices: null, nullable: false }
const MAX_NAMES = 100
const MAX_NAME_LENGTH = 200
const MAX_HEADERS = 32
const MAX_HEADER_LENGTH = 4_096
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/

export const int = ({ default: value, min, max, ...row }: Range): Setting<number> => ({
  ...common(row),
  type: 'int',
  default: () => value,
  constraints: { ...UNBOUNDED, min, max },
  expected: `a whole number from ${min} to ${max}`,
  accepts: (given) => Number.isSafeInteger(given) && within(given as number, min, max),
})

export const float = ({ default: value, min, max, ...row }: Range): Setting<number> => ({
  ...common(row),
  type: 'float',
  default: () => value,
  constraints: { ...UNBOUNDED, min, max },
  expected: `a number from ${min} to ${max}`,
  accepts: (given) => typeof given === 'number' && within(given, min, max),
})

export const bool = ({
  default: value,
  defaultText,
  ...row
}: Common & { default(deployment: Deployment): boolean; defaultText: string }): Setting<boolean> => ({
  ...common(row),
  type: 'bool',
  default: value,
  defaultText,
  constraints: UNBOUNDED,
  expected: 'true or false',
  accepts: (given) => typeof given === 'boolean',
})

/** `choices` from the least to the most: a cap allows those up to its own. */
export const choice = <const T extends string>({
  default: value,
  choices,
  ...row
}: Common & { default: NoInfer<T>; choices: readonly T[] }): Setting<T> => ({
  ...common(row),
  type: 'enum',
  default: () => value,
  constraints: { ...UNBOUNDED, choices },
  expected: `one of ${choices.join(', ')}`,
  accepts: (given) => choices.includes(given as T),
})

export const url = ({
  default: value,
  ...row
}: Common & { default(deployment: Deployment): string }): Setting<string> => ({
  ...common(row),
  type: 'str',
  default: value,
  constraints: UNBOUNDED,
  expected: 'an http or https URL without a user name or password',
  accepts: isHttpUrl,
})

export const optionalUrl = (row: Common): Setting<string | null> => ({
  ...common(row),
  type: 'str',
  default: () => null,
  constraints: { ...UNBOUNDED, nullable: true },
  expected: 'an http or https URL without a user name or password',
  accepts: isHttpUrl,
})

export const optionalName = (row: Common): Setting<string | null> => ({
  ...common(row),
  type: 'str',
  default: () => null,
  constraints: { ...UNBOUNDED, nullable: true },
  expected: `a name of 1 to ${MAX_NAME_LENGTH} characters`,
  accepts: isName,
})

export const names = (row: Common): Setting<string[]> => ({
  ...common(row),
  type: 'list[str]',
  default: () => [],
  constraints: UNBOUNDED,
  expected: `a list of up to ${MAX_NAMES} names of 1 to ${MAX_NAME_LENGTH} characters`,
  accepts: (given) => Array.isArray(given) && given.length <= MAX_NAMES && given.every(isName),
})

export const registries = (row: Common): Setting<Registry[]> => ({
  ...common(row),
  type: 'list[registry]',
  default: () => [],
  constraints: UNBOUNDED,
  expected: REGISTRY_LIST,
  accepts: isRegistryList,
})

export const secretHeaders = (row: Common): Setting<Headers | null> => ({
  ...common(row),
  type: 'secret',
  default: () => null,
  constraints: { ...UNBOUNDED, nullable: true },
  expected: `an object of 1 to ${MAX_HEADERS} header names, each with its value as one line of text`,
  accepts: isHeaders,
})

const common = ({ description, environment, apply = 'live' }: Common) => ({ description, environment, apply })

const within = (value: number, min: number, max: number) => value >= min && value <= max

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_NAME_LENGTH

function isHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const entries = Object.entries(value)
  return (
    entries.length > 0 &&
    entries.length <= MAX_HEADERS &&
    entries.every(
      ([name, text]) =>
        HEADER_NAME.test(name) &&
        typeof text === 'string' &&
        text.length <= MAX_HEADER_LENGTH &&
        // Visible ASCII, space and tab: what every HTTP client agrees to send.
        /^[\t\x20-\x7e]*$/.test(text),
    )
  )
}
