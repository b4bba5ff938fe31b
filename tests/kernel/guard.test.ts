import { expect, test } from 'bun:test'
import { defaultOrigins, originGuard } from '#kernel/http/guard'

const loopback = originGuard({ host: '127.0.0.1', origins: defaultOrigins(5174) })
const request = (headers: Record<string, string>) => new Request('http://127.0.0.1:8081/', { headers })
const verdict = (guard: typeof loopback, headers: Record<string, string>) => {
  try {
    guard.check(request(headers))
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each([
  ['a client without an origin', { host: '127.0.0.1:8081' }, 'allowed'],
  ['the name localhost', { host: 'localhost:8081' }, 'allowed'],
  ['IPv6 loopback', { host: '[::1]:8081' }, 'allowed'],
  ['a name that was pointed at us', { host: 'evil.example:8081' }, 'host_not_allowed'],
  ['a name that merely begins like ours', { host: 'localhost.evil.example' }, 'host_not_allowed'],
  ['the interface', { host: '127.0.0.1:8081', origin: 'http://localhost:5174' }, 'allowed'],
  ['our own page', { host: '127.0.0.1:8081', origin: 'http://127.0.0.1:8081' }, 'allowed'],
  ['a page elsewhere', { host: '127.0.0.1:8081', origin: 'https://evil.example' }, 'origin_not_allowed'],
  ['a sandboxed page', { host: '127.0.0.1:8081', origin: 'null' }, 'origin_not_allowed'],
  ['another local port', { host: '127.0.0.1:8081', origin: 'http://localhost:3000' }, 'origin_not_allowed'],
])('%s', (_who, headers, expected) => {
  expect(verdict(loopback, headers)).toBe(expected)
})

test('a name that is a configured origin may be asked for, as behind a proxy', () => {
  const guard = originGuard({ host: '127.0.0.1', origins: ['https://tycho.example'] })
  expect(verdict(guard, { host: 'tycho.example', origin: 'https://tycho.example' })).toBe('allowed')
  expect(verdict(guard, { host: 'other.example' })).toBe('host_not_allowed')
})

test('only an allowed page is told that it may read the answer', () => {
  expect(
    loopback.corsHeaders(request({ origin: 'http://localhost:5174' }))['access-control-allow-origin'],
  ).toBe('http://localhost:5174')
  expect(loopback.corsHeaders(request({ origin: 'https://evil.example' }))).toEqual({})
})
