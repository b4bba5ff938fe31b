import type { GatewayErrorClass } from '#kernel/db/gateway-tables'

/** Failed requests by what kept them from an answer, told by the status: in a row of totals, and in a query. */
const CLASSES: Record<GatewayErrorClass, { has(status: number): boolean; sql: string }> = {
  auth: { has: (status) => status === 401 || status === 403, sql: 'status in (401, 403)' },
  rate_limit: { has: (status) => status === 429, sql: 'status = 429' },
  client: {
    has: (status) => status >= 400 && status <= 499 && ![401, 403, 429].includes(status),
    sql: 'status between 400 and 499 and status not in (401, 403, 429)',
  },
  overloaded: { has: (status) => status === 529, sql: 'status = 529' },
  server: { has: (status) => status >= 500 && status !== 529, sql: 'status >= 500 and status <> 529' },
}

export const ERROR_CLASSES = Object.keys(CLASSES) as GatewayErrorClass[]
export const classColumn = (name: GatewayErrorClass) => `in_${name}` as const
export const isOfClass = (name: GatewayErrorClass, status: number): boolean => CLASSES[name].has(status)
export const classCondition = (name: GatewayErrorClass): string => CLASSES[name].sql
