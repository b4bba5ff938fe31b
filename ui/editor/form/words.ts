/** `maxToolIterations` as “Max tool iterations”. */
export function titleOfKey(key: string): string {
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return TITLES[key] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const TITLES: Record<string, string> = {
  expr: 'Value',
  select: 'Branch',
  topK: 'Passages',
  keyExpr: 'Counted apart by',
  urlTemplate: 'URL',
  bodyTemplate: 'Body',
  timeoutSeconds: 'Timeout in seconds',
  windowSeconds: 'Window in seconds',
  backoffMs: 'Pause in milliseconds',
  passOn: 'Passes on',
  json: 'JSON',
  json_schema: 'JSON with keys',
  pii: 'No personal data',
}

/** What a schema says of a field, for people who fill in a form: without the marks of the docs. */
export const hintOf = (name: string, description: string | undefined): string | undefined =>
  name in HINTS ? HINTS[name] : description?.replaceAll('`', '')

/** Where the form itself shows what the schema has to explain. */
const HINTS: Record<string, string | undefined> = {
  model: undefined,
  messages: 'Type $in for what comes in, and $in.<input>.<field> for a part of it.',
  tools: 'What the model may call by itself.',
  tool: undefined,
  agent: undefined,
  check: undefined,
  type: 'A rule decides at once; a model reads and judges.',
}
