import { createHash } from 'node:crypto'
import { ROOT_SPAN, type SpanRef } from '#graph/events'

const hex = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

/** `<run>:<node or _root>[:<phase>][:#<branch>]`: the same span has the same id whoever writes it. */
export const spanKey = (runId: string, ref: SpanRef | null): string =>
  `${runId}:${ref?.node ?? ROOT_SPAN}${ref?.phase ? `:${ref.phase}` : ''}${ref?.branch === undefined ? '' : `:#${ref.branch}`}`

export const traceId = (runId: string): string => hex(`trace:${runId}`, 32)

export const spanId = (key: string): string => hex(`span:${key}`, 16)
