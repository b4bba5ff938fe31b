import { asText, tryParse } from '#kernel/json'
import { compilePattern } from '../pattern'
import { isObject } from '../read'

interface Rule {
  kind: 'regex' | 'length' | 'allow' | 'deny' | 'json_schema' | 'pii'
  spec: Record<string, unknown>
}

/** E-mail addresses, US social security numbers, and runs of 13 to 16 digits as on payment cards. */
const PII_PATTERNS = [
  '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*\\.[A-Za-z]{2,}',
  '\\b\\d{3}-\\d{2}-\\d{4}\\b',
  '\\b\\d(?:[ -]?\\d){12,15}\\b',
]

/** Whether a guardrail's rule lets a value pass. @throws {PatternError} */
export function passesRule({ kind, spec }: Rule, value: unknown): boolean {
  const text = asText(value)
  switch (kind) {
    case 'regex': {
      const isFound = typeof spec.pattern === 'string' && spec.pattern !== '' && finds(spec.pattern, text)
      return spec.mode === 'deny' ? !isFound : isFound
    }
    case 'length': {
      const { min = null, max = null } = spec
      const length = charactersIn(text)
      return (typeof min !== 'number' || length >= min) && (typeof max !== 'number' || length <= max)
    }
    case 'allow':
      return isMember(spec.values, text)
    case 'deny':
      return !isMember(spec.values, text)
    case 'json_schema':
      return hasKeys(value, spec.required)
    case 'pii':
      return !piiPatterns(spec.patterns).some((pattern) => finds(pattern, text))
  }
}

const finds = (pattern: string, text: string): boolean => compilePattern(pattern).find(text) !== null

const isMember = (values: unknown, text: string): boolean =>
  Array.isArray(values) && values.some((value) => asText(value) === text)

function hasKeys(value: unknown, required: unknown): boolean {
  const object = typeof value === 'string' ? tryParse(value) : value
  const keys = Array.isArray(required) ? required : []
  return isObject(object) && keys.every((key) => Object.hasOwn(object, String(key)))
}

const piiPatterns = (patterns: unknown): string[] =>
  Array.isArray(patterns)
    ? patterns.filter((pattern): pattern is string => typeof pattern === 'string' && pattern !== '')
    : PII_PATTERNS

/** As people count them: a character outside the basic plane is one. */
function charactersIn(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
