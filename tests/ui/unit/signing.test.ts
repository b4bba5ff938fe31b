import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { newSecret, SIGNING_EXAMPLES, signatureOf } from '../../../ui/triggers/signing'
import { graph, node } from '../../support/graphs'
import { openWorld, type World } from '../../support/world'

/** What runs an example as a person would: with the secret in the environment, and the text as the program. */
const PROGRAMS = {
  curl: ['sh', '-c'],
  node: ['node', '--input-type=module', '-e'],
  python: ['python3', '-c'],
}
const SECRET = 'It\'s a $ecret \\ with ünusual "parts"'

describe('the signature', () => {
  test.each([
    ['', ''],
    ['key', 'The quick brown fox'],
    [SECRET, '{"a": "ü"}\r\n'],
    ['long '.repeat(40), '\0'],
  ])('is that of every HMAC-SHA256', (secret, body) => {
    expect(signatureOf(secret, body)).toBe(
      `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    )
  })

  test('a new secret is like no other', () => {
    expect(newSecret()).toMatch(/^[0-9a-f]{64}$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})

describe('an example', () => {
  let world: World
  let url: string

  beforeAll(async () => {
    world = await openWorld({ planes: ['control', 'inference'] })
    const ir = graph([node('in', 'input'), node('out', 'output')], ['in.out>out.in'], { id: 'agent.echo' })
    await world.call('POST', '/agents', { as: 'admin', body: { ir } })
    const body = { agent_id: 'agent.echo', kind: 'webhook', version: '1.0.0', config: { secret: SECRET } }
    const { id } = (await world.call('POST', '/triggers', { as: 'admin', body })).body
    url = `${world.urls.control}/hooks/${id}`
    return () => world[Symbol.asyncDispose]()
  })

  for (const language of ['curl', 'node', 'python'] as const) {
    const [program, ...flags] = PROGRAMS[language]
    test.skipIf(!process.env.CI && !Bun.which(program!))(`in ${language} delivers`, async () => {
      const child = Bun.spawn([program!, ...flags, SIGNING_EXAMPLES[language](url)], {
        env: { PATH: process.env.PATH, SECRET },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const said = await new Response(child.stdout).text()
      expect(said).toContain('"status":"completed"')
      const [run] = (await world.call('GET', '/runs?limit=1', { as: 'admin' })).body.runs
      expect(JSON.parse(run.output)).toEqual({ hello: 'world' })
    })
  }
})
