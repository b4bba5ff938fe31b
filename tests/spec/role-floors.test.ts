import { expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { atLeast, ROLES, type Role } from '#kernel/http/plane'
import { hashToken } from '#kernel/tokens'
import { documentOf } from '../support/contract'
import { eachDatabase, type World } from '../support/world'

/**
 * The floors of the specification, part 5.4, for routes that exist and for those that come; the first line that fits
 * a route counts.
 */
const FLOORS: [method: RegExp, path: RegExp, floor: Role][] = [
  [/./, /^\/auth\/providers/, 'admin'],
  [/./, /^\/(auth\/(me|api-keys|logout)|runs|sessions|stats)\b/, 'viewer'],
  [/./, /^\/(users|settings|export|import|gateways)\b/, 'admin'],
  [/./, /^\/agents\/\{[^}]+\}\/io-policy$/, 'editor'],
  [/GET/, /^\/(agents|samples)\b/, 'viewer'],
  [/./, /^\/artifacts\b/, 'viewer'],
  [/POST/, /^\/agents\/\{[^}]+\}\/(runs|durable-runs)$/, 'viewer'],
  [/./, /^\/(agents|samples|drafts|graphs|connections|mcp|admin\/mcp|rag|triggers|bench)\b/, 'editor'],
]

/** Open routes that ask for a credential of their own kind (part 5, 8 and 9). */
const OWN_GATE = [
  'POST /agents/{id}/invoke',
  'POST /hooks/{id}',
  'POST /gateway/heartbeat',
  'GET /gateway/config',
  'GET /gateway/keys',
  'POST /gateway/records',
  'POST /gateway/tickets:verify',
]

/** What a role may do with a session, and no key may. */
const SESSIONS_ONLY = ['POST /auth/me/password']

const PASSWORD = 'correct horse battery'
/** An answer that streams is judged by its head; one that never comes is a failure of its own. */
const ANSWER_MS = 20_000

interface Route {
  /** As the specification writes it: `PATCH /users/{id}`. */
  name: string
  method: string
  path: string
  role?: Role
  open?: string
  hasBody: boolean
}

eachDatabase((world) => {
  let routes: Route[]
  let requests = 0
  let credentials = 0

  const guarded = () => routes.filter(({ role }) => role !== undefined)
  const sent = (route: Route, authorization: string | undefined, body = '{}') => {
    requests++
    return send(world(), route, authorization, body)
  }

  test('every route says whom it is for', async () => {
    routes = await routesOf(world())
    expect(routes.length).toBeGreaterThan(15)
    const silent = routes.filter(({ role, open }) => (role === undefined) === (open === undefined))
    expect(silent.map(({ name }) => name)).toEqual([])
    expect(guarded().filter(({ role }) => !ROLES.includes(role!))).toEqual([])
  })

  test('the floors are those of the specification', () => {
    const wrong = guarded().flatMap(({ name, method, path, role }) => {
      const floor = FLOORS.find(([methods, paths]) => methods.test(method) && paths.test(path))?.[2] ?? role
      return floor === role ? [] : [`${name} is for ${role}, and should be for ${floor}`]
    })
    expect(wrong).toEqual([])
  })

  test('whoever presents nothing valid gets one and the same 401, whatever the body', async () => {
    const answers = new Set<string>()
    const wrong: string[] = []
    const strangers = Object.entries(await strangersOf(world()))
    const tries = guarded().flatMap((route) =>
      strangers.flatMap(([who, authorization]) =>
        (route.hasBody ? ['{}', '{"not json'] : ['']).map((body) => ({ route, who, authorization, body })),
      ),
    )
    for (const { route, who, authorization, body } of tries) {
      const { status, text } = await sent(route, authorization, body)
      if (status !== 401) wrong.push(`${route.name} answered ${status} to ${who}`)
      answers.add(text)
    }
    credentials += strangers.length
    expect(wrong).toEqual([])
    expect([...answers]).toHaveLength(1)
    expect(JSON.parse([...answers][0]!).error.code).toBe('unauthorized')
  }, 120_000)

  test.each([...ROLES])(
    'a %s reaches what is at or below the role, by session and by key',
    async (role) => {
      const wrong: string[] = []
      const session = await world().token(role)
      const key = await keyOf(world(), session)
      credentials += 2
      for (const route of guarded()) {
        // This route ends the session it is sent with.
        const own = route.name === 'POST /auth/logout' ? await sessionOf(world(), `the-${role}`) : session
        for (const [kind, token] of Object.entries({ session: own, key })) {
          const answer = await sent(route, `Bearer ${token}`)
          if (!asTheFloorSays(route, role, kind, answer)) {
            wrong.push(
              `${route.name} answered ${answer.status} ${answer.code ?? ''} to the ${kind} of a ${role}`,
            )
          }
        }
      }
      expect(wrong).toEqual([])
    },
    120_000,
  )

  test('an open route asks nobody for a bearer, not even somebody with a bad one', async () => {
    const wrong: string[] = []
    const open = routes.filter(({ name, open }) => open !== undefined && !OWN_GATE.includes(name))
    for (const route of open) {
      for (const authorization of [undefined, 'Bearer tys_unknown', 'Bearer tyk_unknown']) {
        const { status, code } = await sent(route, authorization)
        if (code === 'unauthorized' || code === 'forbidden') wrong.push(`${route.name} answered ${status}`)
      }
    }
    expect(wrong).toEqual([])
    process.stdout.write(
      `role floors: ${routes.length} routes × ${credentials} credentials, ${requests} requests\n`,
    )
  }, 60_000)
})

function asTheFloorSays(
  { name, role: floor }: Route,
  role: Role,
  kind: string,
  { status, code }: { status: number; code?: string },
): boolean {
  const forbidden = status === 403 && code === 'forbidden'
  if (!atLeast(role, floor!)) return forbidden
  if (forbidden) return kind === 'key' && SESSIONS_ONLY.includes(name)
  // What comes of made-up ids and empty bodies is the route's own affair, but it never is a crash.
  return status !== 401 && status !== 403 && status !== 500
}

async function routesOf(world: World): Promise<Route[]> {
  const { paths } = (await documentOf(world.urls.control)) as unknown as {
    paths: Record<
      string,
      Record<string, { 'x-role'?: Role; 'x-open'?: string; requestBody?: object | undefined }>
    >
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([lower, operation]) => {
      const method = lower.toUpperCase()
      return {
        name: `${method} ${path}`,
        method,
        path,
        role: operation['x-role'],
        open: operation['x-open'],
        hasBody: operation.requestBody !== undefined,
      }
    }),
  )
}

/** One request with made-up ids, so that nothing real is touched. Only the head of a stream is read. */
async function send(
  world: World,
  { method, path, hasBody }: Route,
  authorization: string | undefined,
  body: string,
) {
  const gone = new AbortController()
  const timer = setTimeout(() => gone.abort(new Error(`${method} ${path} did not answer`)), ANSWER_MS)
  const response = await fetch(world.urls.control + path.replace(/\{[^}]+\}/g, 'none-such'), {
    method,
    redirect: 'manual',
    signal: gone.signal,
    headers: {
      ...(authorization ? { authorization } : {}),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body } : {}),
  })
  const json = response.headers.get('content-type')?.startsWith('application/json')
  const text = json ? await response.text() : ''
  clearTimeout(timer)
  if (!json) await response.body?.cancel()
  const code = json ? (JSON.parse(text) as { error?: { code: string } } | null)?.error?.code : undefined
  return { status: response.status, text, code }
}

/** `Authorization` headers that name nobody, each for a reason of its own. */
async function strangersOf(world: World): Promise<Record<string, string | undefined>> {
  const call = (method: string, path: string, token: string, body?: object) =>
    world.call(method, path, { as: { token }, body })
  const admin = await world.token('admin')
  const session = await sessionOf(world, 'the-admin')
  const account = await call('POST', '/users', admin, {
    username: 'leaver',
    password: PASSWORD,
    role: 'admin',
  })
  const leaver = await sessionOf(world, 'leaver')
  const leaversKey = await keyOf(world, leaver)
  await call('PATCH', `/users/${account.body.id}`, admin, { disabled: true })

  const loggedOut = await sessionOf(world, 'the-admin')
  await call('POST', '/auth/logout', loggedOut)
  const expired = await expiredSession(world, session)
  const key = await world.call('POST', '/auth/api-keys', { as: 'admin', body: { name: 'revoked' } })
  await call('DELETE', `/auth/api-keys/${key.body.api_key.id}`, admin)

  return {
    nobody: undefined,
    'an unknown session': 'Bearer tys_unknown',
    'an unknown key': 'Bearer tyk_unknown',
    'a token of no kind of ours': `Bearer ${'x'.repeat(300)}`,
    'another scheme': `Basic ${Buffer.from(`the-admin:${PASSWORD}`).toString('base64')}`,
    'an expired session': `Bearer ${expired}`,
    'a session logged out': `Bearer ${loggedOut}`,
    'a revoked key': `Bearer ${key.body.token}`,
    'a disabled account': `Bearer ${leaver}`,
    'the key of a disabled account': `Bearer ${leaversKey}`,
  }
}

async function expiredSession(world: World, token: string): Promise<string> {
  await using database = openDatabase(world.env.DATABASE_URL!)
  await database.db
    .updateTable('auth_sessions')
    .set({ expires_at: Date.now() - 1 })
    .where('token_hash', '=', hashToken(token))
    .execute()
  return token
}

/** A new key of the account and role behind a session. */
async function keyOf(world: World, session: string): Promise<string> {
  const as = { token: session }
  return (await world.call('POST', '/auth/api-keys', { as, body: { name: 'walker' } })).body.token
}

/** A further session of an account. */
async function sessionOf(world: World, username: string): Promise<string> {
  const { body } = await world.call('POST', '/auth/login', { body: { username, password: PASSWORD } })
  return body.token
}
