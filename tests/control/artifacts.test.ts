import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { artifactStore } from '../../src/control/artifacts/store'
import { eachDatabase, type World } from '../support/world'

const REF = 'art_01JD0000000000000000000000'
const PNG = Uint8Array.from({ length: 5_000 }, (_, at) => at % 251)

const upload = (world: World, body: Uint8Array | string, type: string, path = '/artifacts') =>
  world.call(path === '/artifacts' ? 'POST' : 'PUT', path, {
    as: 'viewer',
    body,
    headers: { 'content-type': type },
  })

const download = async (world: World, ref: string, headers: Record<string, string> = {}) =>
  fetch(`${world.urls.control}/artifacts/${ref}`, {
    headers: { authorization: `Bearer ${await world.token('viewer')}`, ...headers },
  })

eachDatabase((world) => {
  test('what was uploaded comes back byte for byte, under its type', async () => {
    const made = await upload(world(), PNG, 'image/png')
    expect(made).toMatchObject({ status: 201, body: { contentType: 'image/png', bytes: PNG.length } })
    expect(made.body.ref).toMatch(/^art_[0-9A-HJKMNP-TV-Z]{26}$/)

    const got = await download(world(), made.body.ref)
    expect(got.headers.get('content-type')).toBe('image/png')
    expect(got.headers.get('content-length')).toBe(String(PNG.length))
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(PNG)
  })

  test('JSON and forms are bytes like any others', async () => {
    for (const [type, text] of [
      ['application/json', '{ not json'],
      ['multipart/form-data; boundary=x', '--x--'],
    ] as const) {
      const made = await upload(world(), text, type)
      expect(made.body).toMatchObject({ contentType: type, bytes: text.length })
      expect(await (await download(world(), made.body.ref)).text()).toBe(text)
    }
  })

  test('an upload in many pieces is kept whole', async () => {
    const piece = new Uint8Array(100_000).fill(7)
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 30; at++) controller.enqueue(piece.fill(at))
        controller.close()
      },
    })
    const response = await fetch(`${world().urls.control}/artifacts`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${await world().token('viewer')}`,
        'content-type': 'application/x-many',
      },
    })
    const made = (await response.json()) as { ref: string; bytes: number }
    expect(made.bytes).toBe(3_000_000)
    expect(readFileSync(join(world().dir, 'artifacts', made.ref)).byteLength).toBe(3_000_000)
  })

  test('a given ref is taken once, and never overwritten', async () => {
    const first = await upload(world(), 'the first', 'text/plain', `/artifacts/${REF}`)
    expect(first).toMatchObject({
      status: 201,
      body: { ref: REF, contentType: 'text/plain', bytes: 9, created: true },
    })
    const second = await upload(world(), PNG, 'image/png', `/artifacts/${REF}`)
    expect(second).toMatchObject({
      status: 200,
      body: { ref: REF, contentType: 'text/plain', bytes: 9, created: false },
    })
    expect(await (await download(world(), REF)).text()).toBe('the first')
  })

  test('of several at once under one ref, one is stored and all are told the same', async () => {
    const ref = 'art_01JD0000000000000000000009'
    const answers = await Promise.all(
      [1, 2, 3, 4].map((size) =>
        upload(world(), 'x'.repeat(size * 100_000), `text/x-${size}`, `/artifacts/${ref}`),
      ),
    )
    expect(answers.filter(({ body }) => body.created)).toHaveLength(1)
    const { created, ...winner } = answers.find(({ body }) => body.created)!.body
    for (const { body } of answers) expect(body).toMatchObject(winner)
    expect(winner.contentType).toBe(`text/x-${winner.bytes / 100_000}`)
  })

  test.each([
    'art_short',
    `${REF}0`,
    REF.toLowerCase(),
    'art_01JD000000000000000000000I',
    `${REF}.type`,
    '..%2F..%2Fetc%2Fpasswd',
    'art_..%2F..%2F..%2Fetc%2Fpasswd',
  ])('%s is no ref', async (ref) => {
    for (const method of ['GET', 'PUT']) {
      const answer = await world().call(method, `/artifacts/${ref}`, {
        as: 'viewer',
        ...(method === 'PUT' ? { body: PNG } : {}),
      })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_artifact_ref' } } })
    }
  })

  test('an unknown ref is 404', async () => {
    const answer = await world().call('GET', '/artifacts/art_01JDZZZZZZZZZZZZZZZZZZZZZZ', { as: 'viewer' })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'artifact_not_found' } } })
  })

  test('an empty body is refused, and takes no ref', async () => {
    const ref = 'art_01JD0000000000000000000001'
    for (const path of ['/artifacts', `/artifacts/${ref}`]) {
      const answer = await upload(world(), '', 'text/plain', path)
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'empty_artifact' } } })
    }
    expect((await world().call('GET', `/artifacts/${ref}`, { as: 'viewer' })).status).toBe(404)
  })

  test('a stranger is turned away before the body is read', async () => {
    const { hostname, port } = new URL(world().urls.control)
    const socket = connect(Number(port), hostname)
    const answer = Promise.withResolvers<string>()
    socket.once('data', (data) => answer.resolve(data.toString()))
    // Ten megabytes are announced, and a little of them sent: an answer can only come to one who does not wait for all.
    socket.write(
      `POST /artifacts HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: 10000000\r\n\r\nabc`,
    )
    expect(await answer.promise).toContain('HTTP/1.1 401')
    socket.destroy()
  })

  test('more than the limit is refused by its announced length', async () => {
    const { hostname, port } = new URL(world().urls.control)
    const socket = connect(Number(port), hostname)
    const answer = Promise.withResolvers<string>()
    socket.on('data', (data) => /payload_too_large/.test(data.toString()) && answer.resolve(data.toString()))
    const token = await world().token('viewer')
    socket.write(
      `POST /artifacts HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n` +
        `content-length: ${513 * 1024 * 1024}\r\n\r\nabc`,
    )
    expect(await answer.promise).toContain('413')
    socket.destroy()
  })

  test('an upload that breaks off leaves nothing behind', async () => {
    const folder = join(world().dir, 'artifacts')
    const before = readdirSync(folder).sort()
    const { hostname, port } = new URL(world().urls.control)
    const token = await world().token('viewer')
    const socket = connect(Number(port), hostname)
    socket.write(
      `PUT /artifacts/art_01JD0000000000000000000002 HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
        `authorization: Bearer ${token}\r\ncontent-length: 1000000\r\n\r\n${'x'.repeat(200_000)}`,
    )
    await until(() => readdirSync(folder).some((name) => name.endsWith('.part')))
    socket.destroy()
    await until(() => !readdirSync(folder).some((name) => name.endsWith('.part')))
    expect(readdirSync(folder).sort()).toEqual(before)
  })

  test.each([
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/xhtml+xml', 'attachment'],
    ['image/png', 'inline'],
    ['audio/mpeg', 'inline'],
  ])('a browser gets %s as %s, and guesses nothing', async (type, disposition) => {
    const made = await upload(world(), '<script>alert(1)</script>', type)
    const { headers } = await download(world(), made.body.ref)
    expect(headers.get('content-disposition')).toStartWith(disposition)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain('sandbox')
  })

  test('a type that is none is kept as bytes', async () => {
    const made = await upload(world(), 'x', 'not a type')
    expect(made.body.contentType).toBe('application/octet-stream')
  })

  describe('ranges', () => {
    test.each([
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
      ['bytes=5-2', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
      ['bytes=10-', 416, null, 'bytes */10'],
      ['bytes=-0', 416, null, 'bytes */10'],
    ])('%s', async (range, status, text, contentRange) => {
      const made = await upload(world(), '0123456789', 'audio/wav')
      const got = await download(world(), made.body.ref, { range })
      expect(got.status).toBe(status)
      expect(got.headers.get('content-range')).toBe(contentRange)
      if (text !== null) expect(await got.text()).toBe(text)
    })
  })
})

describe('the folder', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'tycho-artifacts-'))

  test('a full disk is told as such, and nothing half-written stays', async () => {
    const dir = folder()
    async function* body() {
      yield PNG
      throw Object.assign(new Error('write'), { code: 'ENOSPC' })
    }
    await expect(artifactStore(dir).receive(body())).rejects.toMatchObject({
      code: 'storage_full',
      status: 507,
    })
    expect(readdirSync(dir)).toEqual([])
  })

  test('what a dead process left is removed a day later', async () => {
    const dir = folder()
    for (const name of ['old.part', 'new.part', REF]) writeFileSync(join(dir, name), 'x')
    const now = Date.now()
    const old = (now - 25 * 60 * 60 * 1000) / 1000
    utimesSync(join(dir, 'old.part'), old, old)
    utimesSync(join(dir, REF), old, old)
    await artifactStore(dir).removeAbandoned(now)
    expect(readdirSync(dir).sort()).toEqual([REF, 'new.part'].sort())
  })
})

async function until(holds: () => boolean) {
  const giveUp = AbortSignal.timeout(5_000)
  while (!holds()) {
    if (giveUp.aborted) throw new Error('it did not come to pass')
    await Bun.sleep(10)
  }
}
