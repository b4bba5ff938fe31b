import { texts } from '../../texts/editor-panels'

/** `maxToolIterations` as “Max tool iterations”. */
export function titleOfKey(key: string): string {
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return TITLES[key] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const TITLES: Record<string, string> = texts.form.titles

/** What a schema says of a field, for people who fill in a form: without the marks of the docs. */
export const hintOf = (name: string, description: string | undefined): string | undefined =>
  name in HINTS ? HINTS[name] : description?.replaceAll('`', '')

/** Where the form itself shows what the schema has to explain. */
const HINTS: Record<string, string | undefined> = {
  ...texts.form.hints,
  model: undefined,
  tool: undefined,
  agent: undefined,
  check: undefined,
}
