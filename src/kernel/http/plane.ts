import { Elysia, type ValidationError } from 'elysia'
import { isUnstorableText } from '../db/portable'
import { AppError, type ErrorCode, type Statuses } from '../errors'
import type { Logger } from '../log'
import { readJson } from './body'
import { contextOf } from './context'

export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]
const RANK: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 }

export const atLeast = (role: Role, floor: Role): boolean => RANK[role] >= RANK[floor]

/** The narrower of two roles. */
export const narrower = (a: Role, b: Role): Role => (RANK[a] <= RANK[b] ? a : b)

/** Who calls: the account, the role that its credential carries now, and the credential itself. */
export interface Principal {
  userId: string
  role: Role
  credential: 'session' | 'api_key'
  credentialId: string
}

/** Tells who presents a bearer; `null` for unknown, expired, revoked and disabled alike. */
export type Authenticate = (token: string) => Promise<Principal | null>

const principals = new WeakMap<Request, Principal>()
const invalidCodes = new WeakMap<Request, ErrorCode>()
const parseFailures = new WeakMap<Request, unknown>()

export const bearerOf = (request: Request): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null

/**
 * The options a route declares, beside its schemas:
 * - `role`: the floor of the caller's role; the handler gets `principal`.
 * - `open`: why no bearer is asked for.
 * - `invalid`: the code of a body or query of the wrong shape, where the specification names one.
 * - `errors`: the codes this route may answer with besides those that follow from the options.
 */
export const routeOptions = (authenticate: Authenticate) =>
  new Elysia({ name: 'route-options' }).macro({
    role: (floor: Role) => ({
      detail: { 'x-role': floor } as Record<string, unknown>,
      // `transform` runs before body validation, so a stranger gets 401, never a schema hint.
      async transform({ request, route }) {
        contextOf(request).route = route
        const token = bearerOf(request)
        const principal = token ? await authenticate(token) : null
        if (!principal) throw new AppError('unauthorized', 'Sign in, or send a valid bearer token.')
        if (!atLeast(principal.role, floor)) throw new AppError('forbidden', `This needs the role ${floor}.`)
        principals.set(request, principal)
        rethrowParseFailure(request)
      },
      resolve: ({ request }) => ({ principal: principals.get(request)! }),
    }),
    ...openOptions,
  })

const openOptions = {
  open: (why: string) => ({
    detail: { 'x-open': why } as Record<string, unknown>,
    transform({ request, route }: { request: Request; route: string }) {
      contextOf(request).route = route
      rethrowParseFailure(request)
    },
  }),
  invalid: (code: ErrorCode) => ({
    detail: { 'x-invalid': code } as Record<string, unknown>,
    transform({ request }: { request: Request }) {
      invalidCodes.set(request, code)
    },
  }),
  errors: (codes: readonly ErrorCode[]) => ({ detail: { 'x-errors': codes } as Record<string, unknown> }),
}

/** The same options for a plane without accounts: every route is `open` and says why. */
export const openRouteOptions = () => new Elysia({ name: 'open-route-options' }).macro(openOptions)

/** What a plane answers a failure with. */
export type Envelope = (error: AppError) => Record<string, unknown>

export const controlEnvelope: Envelope = ({ message, code, beside }) => ({
  error: { message, code },
  ...beside,
})

export const inferenceEnvelope: Envelope = ({ message, code, status, beside }) => ({
  error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code },
  ...beside,
})

/** The two things every plane does alike: bounded JSON bodies, and one place where a failure becomes an answer. */
export const planeDefaults = ({
  envelope,
  maxBodyBytes,
  uploadRoutes = [],
  statuses = {},
  log,
}: {
  envelope: Envelope
  maxBodyBytes: number
  /** Of the codes whose status is another one on this plane. */
  statuses?: Statuses
  /** Routes that take bytes of any type, and read them themselves. */
  uploadRoutes?: readonly string[]
  log: Logger
}) =>
  new Elysia({ name: 'plane-defaults' })
    // A body that cannot be read is remembered, not thrown: the bearer is checked before a stranger hears of it.
    .onParse({ as: 'global' }, async ({ request, route }) => {
      // An upload is read by its route, which knows how much it takes.
      if (uploadRoutes.includes(route) || isForm(request)) return null
      try {
        return (await readJson(request, maxBodyBytes)) ?? null
      } catch (error) {
        parseFailures.set(request, error)
        return null
      }
    })
    .onError({ as: 'global' }, ({ error, code, set, request }) => {
      const failure = asAppError(error, code, request, log)
      set.status = statuses[failure.code as ErrorCode] ?? failure.status
      Object.assign(set.headers, failure.headers)
      return envelope(failure)
    })

const isForm = (request: Request): boolean =>
  request.headers.get('content-type')?.startsWith('multipart/') ?? false

function rethrowParseFailure(request: Request) {
  const failure = parseFailures.get(request)
  if (failure) throw failure
}

function asAppError(error: unknown, code: string | number, request: Request, log: Logger): AppError {
  if (error instanceof AppError) return error
  if (code === 'NOT_FOUND')
    return new AppError('not_found', `No such endpoint: ${request.method} ${pathOf(request)}.`)
  if (code === 'VALIDATION' && (error as ValidationError).type !== 'response') {
    return new AppError(invalidCodes.get(request) ?? 'validation_error', describe(error as ValidationError))
  }
  if (isUnstorableText(error)) {
    return new AppError('validation_error', 'A text holds the character U+0000, which cannot be stored.')
  }
  const reference = contextOf(request).id
  log.error({ err: error, id: reference, route: contextOf(request).route }, 'unexpected failure')
  return new AppError('internal_error', `Something went wrong here. The log has it under ${reference}.`, {
    beside: { reference },
  })
}

const pathOf = (request: Request) => new URL(request.url).pathname

/** `body.name: Expected string`: where, and what was expected there. */
function describe({ type, all }: ValidationError): string {
  const first = all.find((problem) => problem.summary) ?? all[0]
  if (!first || !('path' in first)) return `The ${type} is not valid.`
  const path = first.path.replaceAll('/', '.')
  return `${type}${path}: ${first.summary ?? first.message}`
}
