import { afterAll, describe, expect, test } from 'bun:test'
import { bytesOf, type OutboundRequest, outboundFetch } from '#kernel/http/outbound'
import { reachOf } from '#kernel/http/reach'

const BOUNDS = { timeoutMs: 5_000, maxBytes: 10_000 }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request, self) {
    const { pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case '/echo':
        return Response.json({
          method: request.method,
          headers: Object.fromEntries(request.headers),
          body: await request.text(),
        })
      case '/moved':
        return new Response(null, {
          status: Number(searchParams.get('status') ?? 302),
          headers: { location: searchParams.get('to')! },
        })
      case '/loop':
        return new Response(null, { status: 302, headers: { location: '/loop' } })
      case '/endless':
        return new Response(
          new ReadableStream({
            async pull(controller) {
              await Bun.sleep(1)
              controller.enqueue(new Uint8Array(4_000))
            },
          }),
        )
      case '/bomb':
        return new Response(Bun.gzipSync(new Uint8Array(1_000_000)), {
          headers: { 'content-encoding': 'gzip' },
        })
      case '/silent':
        self.timeout(request, 0)
        return new Promise<Response>(() => {})
      default:
        return new Response('missing', { status: 404 })
    }
  },
})
afterAll(() => server.stop(true))
const base = `http://127.0.0.1:${server.port}`

const local = outboundFetch({ topology: 'local' })
const text = async (url: string, more: Partial<OutboundRequest> = {}, outbound = local) =>
  new TextDecoder().decode(await bytesOf(await outbound(url, { ...BOUNDS, ...more })))
const json = async (...args: Parameters<typeof text>) => JSON.parse(await text(...args))

describe('which addresses may be called', () => {
  const inLocal = reachOf({ topology: 'local', allowed: [] })
  const inHosted = reachOf({ topology: 'hosted', allowed: ['10.1.0.0/16', 'wiki.internal', 'fd12::/16'] })

  test.each([
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    'not an address',
  ])('%s never', (address) => {
    expect(inLocal(address, address)).toBe(false)
    // Not even under a name that is allowed.
    expect(inHosted(address, 'wiki.internal')).toBe(false)
  })

  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '::1',
    '::',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
  ])('%s in local topology only', (address) => {
    expect(inLocal(address, 'x')).toBe(true)
    expect(inHosted(address, 'x')).toBe(false)
  })

  test.each([
    ['10.1.2.3', 'x'],
    ['fd12::7', 'x'],
    ['192.168.1.1', 'WIKI.internal'],
    ['93.184.215.14', 'x'],
    ['2606:4700::1111', 'x'],
  ])('%s as %s in hosted topology too', (address, name) => expect(inHosted(address, name)).toBe(true))
})

test.each(['10.1.0.0/33', '10.1.0.0/x', 'fd00::/129'])('%s is no network to allow', (entry) => {
  expect(() => reachOf({ topology: 'hosted', allowed: [entry] })).toThrow('SERVICE_OUTBOUND_ALLOW')
})

test('a call carries method, headers and body, under the name it was made to', async () => {
  const outbound = outboundFetch({ topology: 'local', resolve: async () => ['127.0.0.1'] })
  const got = await json(
    `http://wiki.test:${server.port}/echo`,
    { method: 'POST', body: 'hello', headers: { 'x-a': 'b' } },
    outbound,
  )
  expect(got).toMatchObject({
    method: 'POST',
    body: 'hello',
    headers: { host: `wiki.test:${server.port}`, 'x-a': 'b' },
  })
})

test('a name is looked up once for a call, so that a second answer changes nothing', async () => {
  let asked = 0
  const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'])
  const outbound = outboundFetch({ topology: 'local', resolve })
  expect(await json(`http://rebind.test:${server.port}/echo`, {}, outbound)).toMatchObject({ method: 'GET' })
  expect(asked).toBe(1)
})

test('of several addresses the first that answers is used, and forbidden ones never', async () => {
  const resolve = async () => ['169.254.169.254', '127.0.0.9', '127.0.0.1']
  const outbound = outboundFetch({ topology: 'local', resolve })
  expect(await json(`http://many.test:${server.port}/echo`, {}, outbound)).toMatchObject({ method: 'GET' })
})

test.each([
  ['http://169.254.169.254/latest/meta-data', 'internal address'],
  ['http://[::ffff:169.254.169.254]/', 'internal address'],
  ['http://2852039166/', 'internal address'],
  ['file:///etc/passwd', 'http and https'],
  ['ftp://example.com/', 'http and https'],
  ['/relative', 'http and https'],
  ['http://user:secret@example.com/', 'password'],
])('%s is refused', async (url, why) => {
  await expect(local(url, BOUNDS)).rejects.toThrow(why)
})

test('in hosted topology this machine is out of reach, under any of its names', async () => {
  const hosted = outboundFetch({ topology: 'hosted', resolve: async () => ['127.0.0.1'] })
  for (const host of ['127.0.0.1', 'localhost', 'harmless.test', '0x7f000001', '[::1]'])
    await expect(hosted(`http://${host}:${server.port}/echo`, BOUNDS)).rejects.toThrow('internal address')
})

describe('redirects', () => {
  const moved = (to: string, status = 302) => `${base}/moved?status=${status}&to=${encodeURIComponent(to)}`

  test('are followed, and where they lead is checked like the first address', async () => {
    expect(await json(moved('/echo'))).toMatchObject({ method: 'GET' })
    await expect(local(moved('http://169.254.169.254/'), BOUNDS)).rejects.toThrow('internal address')
    await expect(local(moved('file:///etc/passwd'), BOUNDS)).rejects.toThrow('http and https')
  })

  test('end after five', async () => {
    await expect(local(`${base}/loop`, BOUNDS)).rejects.toThrow('more than 5 times')
  })

  test('are an answer where none is to be followed', async () => {
    const answer = await local(moved('/echo'), { ...BOUNDS, maxRedirects: 0 })
    expect(answer.status).toBe(302)
  })

  test('to another origin take no credentials along', async () => {
    const outbound = outboundFetch({ topology: 'local', resolve: async () => ['127.0.0.1'] })
    const headers = { authorization: 'Bearer x', 'x-api-key': 'y', accept: 'text/plain' }
    const other = await json(moved(`http://other.test:${server.port}/echo`), { headers }, outbound)
    expect(other.headers).toMatchObject({ accept: 'text/plain' })
    expect(other.headers).not.toHaveProperty('authorization')
    expect(other.headers).not.toHaveProperty('x-api-key')
    expect((await json(moved('/echo'), { headers }, outbound)).headers).toMatchObject({ 'x-api-key': 'y' })
  })

  test.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'hello'],
    [308, 'POST', 'hello'],
  ])('%i makes of a POST a %s', async (status, method, body) => {
    expect(await json(moved('/echo', status), { method: 'POST', body: 'hello' })).toMatchObject({
      method,
      body,
    })
  })
})

describe('bounds', () => {
  test.each(['/endless', '/bomb'])('%s ends at the size', async (path) => {
    await expect(text(base + path)).rejects.toThrow('larger than 10000 bytes')
  })

  test('a server that says nothing ends at the time', async () => {
    await expect(text(`${base}/silent`, { timeoutMs: 100 })).rejects.toThrow('within 0.1 s')
  })

  test('one that never ends does so too', async () => {
    await expect(text(`${base}/endless`, { timeoutMs: 100, maxBytes: 1e9 })).rejects.toThrow('within 0.1 s')
  })

  test('a resolver that hangs does so too', async () => {
    const outbound = outboundFetch({ topology: 'local', resolve: () => new Promise(() => {}) })
    await expect(outbound('http://slow.test/', { ...BOUNDS, timeoutMs: 100 })).rejects.toThrow('within 0.1 s')
  })

  test('a caller that leaves ends it with its own reason', async () => {
    const leaving = new AbortController()
    const call = text(`${base}/silent`, { signal: leaving.signal })
    leaving.abort(new Error('the run was cancelled'))
    await expect(call).rejects.toThrow('the run was cancelled')
  })
})

test('a failure is named without a stack of the system', async () => {
  await expect(local('http://127.0.0.1:1/', BOUNDS)).rejects.toThrow('ECONNREFUSED')
  await expect(local(`${base}/nothing`, { ...BOUNDS, okOnly: true })).rejects.toThrow('status 404')
})
