import { expect, test } from 'bun:test'
import { createLogger } from '#kernel/log'
import { mintToken } from '#kernel/tokens'

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = []
  write(createLogger({ level: 'info', readable: false, write: (line) => lines.push(line) }))
  return lines.join('')
}

test('one line of JSON per entry, with a named level and a time', () => {
  const entry = JSON.parse(logged((log) => log.info({ route: '/runs' }, 'request')))
  expect(entry).toMatchObject({ level: 'info', route: '/runs', msg: 'request' })
  expect(Date.parse(entry.time)).toBeGreaterThan(0)
})

test.each(['authorization', 'password', 'token', 'secret', 'client_secret', 'apiKey'])(
  'a field %s is never written',
  (field) => {
    const line = logged((log) =>
      log.info({ [field]: 'hunter22hunter22', body: { [field]: 'hunter22hunter22' } }, 'x'),
    )
    expect(line).not.toContain('hunter22')
  },
)

test('a bearer inside a text, an error or an address is never written', () => {
  const token = mintToken('session')
  const line = logged((log) => {
    log.info(`sent Bearer ${token}`)
    log.error({ err: new Error(`refused ${token}`) }, 'failed')
    log.info({ url: `http://host/#token=${token}`, key: 'sk-abcdefghijklmnopqrstuvwxyz' })
  })
  expect(line).not.toContain(token)
  expect(line).not.toContain('sk-abcdefghijkl')
})

test('the level decides what is written', () => {
  expect(logged((log) => log.debug('detail'))).toBe('')
})
