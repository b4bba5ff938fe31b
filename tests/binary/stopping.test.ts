import { expect, test } from 'bun:test'
import { fakeProvider } from '../support/fake-provider'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'

const json = { 'content-type': 'application/json' }

/** Tycho as a process, with an account and a model of a provider that waits for `go` after its third chunk. */
async function streamingTycho() {
  const provider = fakeProvider()
  const go = Promise.withResolvers<void>()
  provider.answers({
    deltas: ['one ', 'two ', 'three'],
    before: (index) => (index === 3 ? go.promise : undefined),
  })
  const env = bareEnvironment(emptyFolder())
  const tycho = await startTycho({ env })
  const { control, inference } = tycho.urls as { control: string; inference: string }
  const model = { binding: 'standard-compatible', model: 'fake-model', baseUrl: provider.url }
  await fetch(`${inference}/admin/models/m`, { method: 'PUT', headers: json, body: JSON.stringify(model) })
  const account = { username: 'ada', password: 'correct horse battery' }
  const setup = await fetch(`${control}/auth/setup`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(account),
  })
  const { token } = (await setup.json()) as { token: string }
  const headers = { ...json, authorization: `Bearer ${token}` }
  const run = await fetch(`${control}/runs`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'm', input: 'x' }),
  })
  return { provider, go, env, tycho, control, headers, run }
}

test('a stop refuses new work, lets the open stream end, and ends with 0', async () => {
  const { provider, go, tycho, control, headers, run } = await streamingTycho()
  const ended = tycho.end('SIGTERM')
  // The signal has arrived once something new is refused: by the listener, or because it is closed.
  for (;;) {
    const answer = await fetch(`${control}/auth/me`, { headers }).then(
      ({ status }) => status,
      () => 'closed',
    )
    if (answer === 503 || answer === 'closed') break
  }
  go.resolve()
  expect(await run.text()).toEndWith('data: [DONE]\n\n')
  expect(await ended).toBe(0)
  await provider.stop()
}, 20_000)

test('what was written just before a stop is there afterwards: the run, its trace, its output', async () => {
  const { provider, go, env, tycho, headers, run } = await streamingTycho()
  const ended = tycho.end('SIGTERM')
  go.resolve()
  const runId = /"runId":"(\w+)"/.exec(await run.text())![1]
  await ended

  await using again = await startTycho({ env })
  const read = async (path: string) =>
    (await fetch(`${again.urls.control}${path}`, { headers })).json() as Promise<Record<string, unknown>>
  expect(await read(`/runs/${runId}`)).toMatchObject({ status: 'completed', output: 'one two three' })
  const { spans } = (await read(`/runs/${runId}/trace`)) as { spans: { status: string }[] }
  expect(spans.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  expect(await read(`/runs/${runId}/nodes/llm/io`)).toMatchObject({ outputs: { output: 'one two three' } })
  await provider.stop()
}, 20_000)
