import { type AppError, type ErrorCode, STATUS_BY_CODE } from '#kernel/errors'
import { newId } from '#kernel/ids'
import { ERROR_HEADER } from './headers'

type ErrorType =
  | 'authentication_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'not_found_error'
  | 'api_error'
  | 'timeout_error'

/**
 * What a client tool has to hear besides the status: whether a retry can mend it, and when to try. Without the first,
 * one of them retries a plain 401 eight times.
 */
const ADVICE: Partial<Record<ErrorCode, { retryAfterS: number }>> = {
  upstream_unreachable: { retryAfterS: 2 },
  gateway_keys_unavailable: { retryAfterS: 5 },
  upstream_timeout: { retryAfterS: 5 },
  shutting_down: { retryAfterS: 2 },
  control_plane_unreachable: { retryAfterS: 5 },
}

export interface Refusal {
  code: ErrorCode
  message: string
}

/** An answer of the gateway's own, in the envelope that both client tools print (design C2). */
export function refuse({ code, message }: Refusal): Response {
  const status = STATUS_BY_CODE[code]
  const advice = ADVICE[code]
  return Response.json(refusalBody(code, message), {
    status,
    headers: {
      [ERROR_HEADER]: code,
      ...(advice ? { 'retry-after': String(advice.retryAfterS) } : { 'x-should-retry': 'false' }),
    },
  })
}

/** The same envelope for what the gateway's own endpoints fail with. */
export const gatewayEnvelope = ({ code, message }: AppError): Record<string, unknown> =>
  refusalBody(code as ErrorCode, message)

const refusalBody = (code: ErrorCode, message: string) => ({
  type: 'error',
  error: { type: typeOf(code), code, message },
  request_id: newId('gateway_request'),
})

function typeOf(code: ErrorCode): ErrorType {
  const status = STATUS_BY_CODE[code] ?? 500
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 504) return 'timeout_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}

/** Counts refusals by code until somebody asks; a storm of them is one number, not as many records. */
export function refusalCounter() {
  let counts: Record<string, number> = {}
  return {
    add(code: string) {
      counts[code] = (counts[code] ?? 0) + 1
    },
    /** What was counted since the last time. */
    take(): Record<string, number> {
      const taken = counts
      counts = {}
      return taken
    },
    /** Puts back what could not be told. */
    giveBack(taken: Record<string, number>) {
      for (const [code, count] of Object.entries(taken)) counts[code] = (counts[code] ?? 0) + count
    },
  }
}
export type RefusalCounter = ReturnType<typeof refusalCounter>
