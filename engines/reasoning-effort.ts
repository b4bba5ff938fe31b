/** The efforts that chat templates know, by those of the standard protocol. */
const EFFORTS: Record<string, string> = { none: 'low', minimal: 'low', xhigh: 'high', max: 'high' }

/** How hard to think, as variables of a chat template; none where the request does not say. */
export const effortVariables = (effort: unknown): Record<string, unknown> =>
  typeof effort === 'string'
    ? { reasoning_effort: EFFORTS[effort] ?? effort, enable_thinking: effort !== 'none' }
    : {}
