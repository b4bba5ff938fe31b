import { expect, test } from 'bun:test'
import { ANTHROPIC_STREAM, fakeUpstream, streamOf } from '../support/fake-upstream'
import { until } from '../support/gateway'
import { openWorld } from '../support/world'

test('in one process the gateway attaches by itself, keeps its place over restarts, and what it saw is in the reports', async () => {
  const upstream = fakeUpstream(() => streamOf([ANTHROPIC_STREAM]))
  await using world = await openWorld({
    planes: ['control', 'gateway'],
    env: { SERVICE_GATEWAY_UPSTREAM_URL: upstream.url },
  })
  const gateways = async () => (await world.call('GET', '/gateways', { as: 'admin' })).body.gateways
  const ready = async () => (await fetch(`${world.urls.gateway}/readyz`)).json()
  const ask = async () => {
    const answer = await fetch(`${world.urls.gateway}/v1/messages`, {
      method: 'POST',
      headers: { 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-claude-code-session-id': 'first' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(await answer.text()).toBe(ANTHROPIC_STREAM)
  }
  const [local] = await until(async () => {
    const list = await gateways()
    return list[0]?.online && list
  })
  expect(local).toMatchObject({
    local: true,
    observer: false,
    heartbeat: { mode: 'personal', version: expect.any(String) },
  })
  await ask()
  expect(await ready()).toMatchObject({ recording: false, queue_records: 0, config_version: null })
  await world.call('PUT', `/gateways/${local.id}/config`, { as: 'admin', body: { observer: true } })
  // A running gateway hears of it with its next heartbeat; one that starts, at once.
  await world.restart()
  await until(async () => (await ready()).recording)
  expect((await gateways()).map(({ id }: { id: string }) => id)).toEqual([local.id])
  await ask()
  const report = await until(async () => {
    const { body } = await world.call('GET', '/gateway/reports?group_by=client,model', { as: 'admin' })
    return body.rows.length > 0 && body
  })
  expect(report.rows).toMatchObject([
    {
      client: 'claude-code',
      model: 'claude-test-1',
      requests: 1,
      sessions: 1,
      turns: 1,
      output: 25,
      unpriced: 1,
    },
  ])
  const { body } = await world.call('GET', '/gateway/sessions/first', { as: 'admin' })
  expect(body.agents[0].turns[0].requests[0].tools).toMatchObject([{ name: 'Bash', result_bytes: null }])
  await upstream.stop()
}, 30_000)
