import { afterAll, beforeAll, expect, test } from 'bun:test'
import { request } from 'node:http'
import { openWorld, type World } from '../support/world'

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { SERVICE_CORS_ORIGINS: 'http://localhost:5174,https://tycho.example' } })
})
afterAll(() => world[Symbol.asyncDispose]())

/** `fetch` does not let a test lie about `Host`. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const answer = Promise.withResolvers<{ status: number; body: string; headers: Record<string, unknown> }>()
  const outgoing = request(url, { method, headers }, (response) => {
    let body = ''
    response.on('data', (chunk) => {
      body += chunk
    })
    response.on('end', () =>
      answer.resolve({ status: response.statusCode!, body, headers: response.headers }),
    )
  })
  outgoing.on('error', answer.reject)
  outgoing.end()
  return answer.promise
}

const PLANES = ['control', 'inference', 'gateway', 'interface'] as const
const target = {
  control: ['POST', '/auth/setup'],
  inference: ['GET', '/v1/models'],
  gateway: ['GET', '/readyz'],
  interface: ['GET', '/config.json'],
} as const

for (const plane of PLANES) {
  const [method, path] = target[plane]

  test(`${plane}: a name pointed at us gets 403 and nothing else`, async () => {
    const { status, body } = await send(world.urls[plane] + path, method, { host: 'rebound.example' })
    expect(status).toBe(403)
    // The gateway has one code for both (part 7 knows its refusals by a header).
    const code = plane === 'gateway' ? 'origin_not_allowed' : 'host_not_allowed'
    expect(JSON.parse(body).error.code).toBe(code)
  })

  test(`${plane}: a page elsewhere gets 403 and may not read why`, async () => {
    const { status, body, headers } = await send(world.urls[plane] + path, method, {
      origin: 'https://evil.example',
    })
    expect(status).toBe(403)
    expect(JSON.parse(body).error.code).toBe('origin_not_allowed')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test(`${plane}: an allowed page may call and read`, async () => {
    const { status, headers } = await send(world.urls[plane] + path, method, {
      origin: 'https://tycho.example',
    })
    expect(status).not.toBe(403)
    expect(headers['access-control-allow-origin']).toBe('https://tycho.example')
  })

  test(`${plane}: a preflight of an allowed page is answered, another's is not`, async () => {
    const ask = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    }
    const allowed = await send(world.urls[plane] + path, 'OPTIONS', {
      ...ask,
      origin: 'http://localhost:5174',
    })
    expect(allowed.status).toBe(204)
    expect(allowed.headers['access-control-allow-headers']).toBe('authorization, content-type')
    expect(
      (await send(world.urls[plane] + path, 'OPTIONS', { ...ask, origin: 'https://evil.example' })).status,
    ).toBe(403)
  })
}

test('the public name of a proxy on this machine is answered', async () => {
  const { status } = await send(`${world.urls.control}/healthz`, 'GET', { host: 'tycho.example' })
  expect(status).toBe(200)
})
