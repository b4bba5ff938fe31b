import type { Call, ToolDescription, ToolPort } from '../ports'

interface Builtin extends ToolDescription {
  run(args: Record<string, unknown>, tools: Pick<ToolPort, 'fetch'>, call: Call): Promise<unknown>
}

const DEFAULT_FETCH_SECONDS = 10

/** Tools that need no connection; each describes itself to a model. */
export const BUILTINS: Readonly<Record<string, Builtin>> = {
  echo: {
    description: 'Gives back the value it is given.',
    parameters: {
      type: 'object',
      properties: { value: { description: 'Any value.' } },
      required: ['value'],
    },
    run: async ({ value }) => value ?? null,
  },

  http_fetch: {
    description: 'Reads a public web address with GET. Gives its status, headers and body as text.',
    parameters: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'An absolute http or https URL.' },
        timeout_s: { type: 'number', description: `Seconds to wait; ${DEFAULT_FETCH_SECONDS} by default.` },
      },
      required: ['url'],
    },
    async run({ url, timeout_s }, tools, call) {
      if (typeof url !== 'string' || url.trim() === '') throw new Error('http_fetch needs a "url".')
      const asked = Number(timeout_s)
      const timeoutSeconds = asked > 0 && Number.isFinite(asked) ? asked : DEFAULT_FETCH_SECONDS
      const { status, body, headers } = await tools.fetch({ url: url.trim(), timeoutSeconds }, call)
      return { status, body, headers }
    },
  },
}

export const builtinNamed = (name: string): Builtin | undefined =>
  Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined
