import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interfaceApp } from '../../src/interface/app'

const folder = mkdtempSync(join(tmpdir(), 'tycho-interface-'))
const script = `console.log(${JSON.stringify('x'.repeat(4000))})`
await Bun.write(join(folder, 'index.html'), '<!doctype html><title>Tycho</title>')
await Bun.write(join(folder, 'main-a1b2c3d4.js'), script)

const addresses = {
  control: 'http://127.0.0.1:8080',
  inference: 'http://127.0.0.1:8081',
  gateway: 'http://127.0.0.1:8082',
}
const app = interfaceApp({
  files: { '/index.html': join(folder, 'index.html'), '/main-a1b2c3d4.js': join(folder, 'main-a1b2c3d4.js') },
  addresses,
  version: '1.2.3',
})
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app(new Request(`http://127.0.0.1:5174${path}`, { headers, method }))

test.each(['/', '/runs', '/runs/01J9/deep', '/editor?draft=1'])('%s is the application', async (path) => {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('text/html')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(await response.text()).toContain('<title>Tycho</title>')
})

test('a page may speak to our planes only, run our scripts only, and be framed by nobody', async () => {
  const policy = (await get('/')).headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'self'")
  expect(policy).toContain(
    "connect-src 'self' http://127.0.0.1:8080 http://localhost:8080 http://127.0.0.1:8081",
  )
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-eval')
  expect((await get('/')).headers.get('x-content-type-options')).toBe('nosniff')
})

test('the page learns where the planes are', async () => {
  expect(await (await get('/config.json')).json()).toEqual({ ...addresses, version: '1.2.3' })
})

test('a file with a hash in its name is compressed and kept for ever', async () => {
  const response = await get('/main-a1b2c3d4.js', { 'accept-encoding': 'gzip, br' })
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect(response.headers.get('content-encoding')).toBe('gzip')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(script)
  expect(await (await get('/main-a1b2c3d4.js')).text()).toBe(script)
})

test('what the browser has already is not sent again', async () => {
  const etag = (await get('/')).headers.get('etag')!
  const again = await get('/', { 'if-none-match': etag })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
})

test.each([
  ['GET', '/no-such-file.js'],
  ['GET', '/../../etc/passwd.txt'],
  ['POST', '/'],
])('%s %s is 404 in the usual envelope', async (method, path) => {
  const response = await get(path, {}, method)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
})

test('a page of something whose id has dots is the application; a missing file is not', async () => {
  const asPage = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const page = await get('/agents/agent.greeter', asPage)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect((await get('/agents/agent.greeter')).status).toBe(404)
})
