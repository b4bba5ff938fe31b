import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enqueue, publish, reaches } from '../support/durable'
import { fakeEngine } from '../support/fake-engine'
import { fakeHub } from '../support/fake-hub'
import type { ChatScript } from '../support/fake-provider'
import { requestLine } from '../support/gateway-records'
import { graph, llm, node } from '../support/graphs'
import { makeParrot } from '../support/make-tiny-gguf'
import type { Answer, World } from '../support/world'

const HOUR_MS = 3_600_000

/** What a machine has before anybody has used Tycho on it: programs for local models, and a hub. */
export function machine() {
  const folder = mkdtempSync(join(tmpdir(), 'tycho-manual-'))
  const weights = join(folder, 'qwen3-8b-Q4_K_M.gguf')
  makeParrot(weights)
  const bytes = readFileSync(weights)
  const repo = (name: string, downloads: number, task = 'text-generation') => ({
    files: { [`${name}-Q4_K_M.gguf`]: bytes, [`${name}-Q8_0.gguf`]: bytes },
    task,
    tags: ['gguf', task],
    downloads,
    likes: Math.round(downloads / 600),
    license: 'apache-2.0',
  })
  const hub = fakeHub({
    'Qwen/Qwen3-8B-GGUF': repo('qwen3-8b', 1_204_000),
    'ggml-org/gemma-3-4b-it-GGUF': repo('gemma-3-4b-it', 913_000),
    'ggml-org/gpt-oss-20b-GGUF': repo('gpt-oss-20b', 640_000),
    'nomic-ai/nomic-embed-text-v1.5-GGUF': repo('nomic-embed-text', 402_000, 'feature-extraction'),
  })
  const env = {
    SERVICE_DURABLE: 'true',
    SERVICE_CATALOG_URL: hub.url,
    HF_HOME: join(folder, 'hf'),
    SERVICE_LLAMACPP_BIN: fakeEngine(folder, 'llama-server'),
    SERVICE_WHISPERCPP_BIN: fakeEngine(folder, 'whisper-server'),
    SERVICE_SDCPP_BIN: fakeEngine(folder, 'sd-cli'),
  }
  return { weights, hub, env }
}

/** An agent as one would build it: a question is sorted, then answered or noted with a tool. */
const TRIAGE = graph(
  [
    node('ticket', 'input'),
    llm('sort', 'Answer with ORDER or OTHER: is this about an order?\n\n$in.in'),
    node('about', 'router', {
      config: { select: '$contains($in.verdict, "ORDER") ? "order" : "other"' },
      in: ['in', { id: 'verdict', role: 'control' }],
      out: ['order', 'other'],
    }),
    llm('answer', 'Answer this customer in two sentences.\n\n$in.in'),
    node('note', 'tool', { config: { tool: 'note', args: { ticket: '$in.in' } } }),
    node('reply', 'output'),
    node('noted', 'output'),
  ],
  [
    'ticket.out>sort.in',
    'ticket.out>about.in',
    'sort.out>about.verdict',
    'about.order>answer.in',
    'about.other>note.in',
    'answer.out>reply.in',
    'note.out>noted.in',
  ],
  {
    id: 'agent.support-triage',
    name: 'Support triage',
    models: { default: { binding: 'standard-compatible', model: 'gpt-4.1-mini' } },
    tools: { note: { kind: 'builtin', ref: 'echo' } },
  },
)

const ANSWERS = [
  'Your refund was sent on Monday; banks take up to three days. If it is not there by Friday, write to us again.',
  'You can change the address until the parcel is packed: open the order and choose **Change address**.',
  'The lamp runs on 230 V and comes with a plug for the EU. A UK adapter is not included.',
]
const QUESTIONS = [
  'Where is my refund?',
  'Can I still change the delivery address?',
  'Does the lamp come with a UK plug?',
]

/** Agents, runs, chats and gateway sessions as they are after some days of use. */
export async function fill(world: World, weights: string) {
  await models(world, weights)
  await samples(world)
  await publish(world, TRIAGE)
  const failed = await runs(world)
  const waiting = await waits(world)
  const chat = await conversation(world)
  await triggers(world)
  await gatewayRecords(world)
  return { ...failed, waiting, chat }
}

/** @throws when it was not answered so */
async function expecting(status: number, asked: Promise<Answer>) {
  const answer = await asked
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}

async function models(world: World, weights: string) {
  const local = (id: string, more = {}) =>
    world.infer('PUT', `/admin/models/${id}`, {
      body: { binding: 'llamacpp', source: 'local-path', model: weights, ...more },
    })
  await local('qwen3-8b')
  await local('whisper-small', { modality: 'audio.transcription' })
  await world.registerModel('gpt-4.1-mini')
  await world.registerModel('qwen3-vl', { modality: 'vision' })
  await world.registerModel('piper', { modality: 'audio.speech' })
  await world.registerModel('flux-schnell', { modality: 'images.generation' })
}

async function samples(world: World) {
  const remote = { logical_id: 'gpt-4.1-mini', binding: 'standard-compatible' }
  const installing = world.call('POST', '/samples/install', {
    as: 'editor',
    body: {
      ids: [
        'hybrid-reasoner',
        'expense-approver',
        'second-opinion',
        'pii-firewall',
        'editorial-loop',
        'batch-briefing',
      ],
      models: { local: remote, remote },
    },
  })
  await expecting(200, installing)
}

/** Sorts, then answers; the model is asked twice. */
const sorted = (text: string) => (body: Record<string, unknown>) =>
  says(JSON.stringify(body.messages).includes('Answer with ORDER') ? 'ORDER' : text)

const says = (text: string): ChatScript => ({ deltas: text.split(/(?<= )/) })

async function runs(world: World) {
  const run = async (body: object): Promise<string> =>
    (
      await world.call('POST', '/agents/agent.support-triage/runs', {
        as: 'editor',
        body: { stream: false, ...body },
      })
    ).body.runId
  await expecting(200, world.infer('POST', '/admin/models/qwen3-8b/~warm', { body: {} }))
  const done: string[] = []
  for (const [index, input] of QUESTIONS.entries()) {
    world.provider.answers(sorted(ANSWERS[index]!))
    done.push(await run({ input }))
  }
  world.provider.answers({
    failure: { status: 503, body: { error: { message: 'The model is overloaded.' } } },
  })
  const { body } = await world.call('POST', '/agents/agent.sample-second-opinion/runs', {
    as: 'editor',
    body: { input: 'Is a heat pump worth it in an old house?', stream: false },
  })
  world.provider.answers(says('Both agree: insulate first, then size the pump for the smaller demand.'))
  const { body: two } = await world.call('POST', '/agents/agent.sample-second-opinion/runs', {
    as: 'editor',
    body: { input: 'Is a heat pump worth it in an old house?', stream: false },
  })
  return { done, failed: body.runId as string, opinion: two.runId as string }
}

async function waits(world: World): Promise<string> {
  world.provider.answers(says('Dinner with a customer, 184 €, receipt attached. Within the policy.'))
  const id = await enqueue(world, 'agent.sample-expense-approver', {
    employee: 'Ada Lovelace',
    purpose: 'Dinner with a customer',
    amount: 184,
  })
  await reaches(world, id, 'waiting')
  return id
}

async function conversation(world: World): Promise<string> {
  const { body: session } = await world.call('POST', '/sessions', {
    as: 'admin',
    body: { metadata: { kind: 'model', model: 'gpt-4.1-mini', title: 'Heat pumps in old houses' } },
  })
  const ask = (input: string, script: ChatScript) => {
    world.provider.answers(script)
    return world.call('POST', '/runs', {
      as: 'admin',
      body: { input, model: 'gpt-4.1-mini', session_id: session.id, stream: false },
    })
  }
  await ask('Is a heat pump worth it in an old house?', {
    reasoning: ['The answer hangs on the heat loss, ', 'so insulation comes first.'],
    ...says(
      'Often yes, **after** the roof and the windows are done:\n\n1. Measure the heat loss.\n2. Insulate what is cheap.\n3. Size the pump for what is left.',
    ),
  })
  await ask(
    'And the cost?',
    says('Between 18,000 € and 32,000 € with radiators for low temperatures; grants cover a part.'),
  )
  return session.id
}

async function triggers(world: World) {
  const create = (body: object) =>
    expecting(201, world.call('POST', '/triggers', { as: 'admin', body: { version: '1.0.0', ...body } }))
  await create({
    kind: 'schedule',
    agent_id: 'agent.support-triage',
    config: { cron: '0 7 * * 1-5', input: 'Which orders wait?' },
  })
  await create({
    kind: 'webhook',
    agent_id: 'agent.support-triage',
    config: { secret: 'a secret for signatures' },
  })
}

/** Three weeks of three developers, in four projects. */
async function gatewayRecords(world: World) {
  const { body: made } = await world.call('POST', '/gateways', { as: 'admin', body: { name: 'office' } })
  const projects = ['shop', 'billing', 'website', 'search']
  let seq = 0
  const lines = Array.from({ length: 21 * 12 }, (_, index) => {
    const day = Math.floor(index / 12)
    const size = 1 + ((index * 7) % 5)
    seq += 1
    return requestLine({
      epoch: 'manual',
      seq,
      session_id: `session-${Math.floor(index / 6)}`,
      client: index % 3 === 0 ? 'codex' : 'claude-code',
      project: { name: projects[(index * 5) % 4]!, source: 'cwd' },
      response: { model: index % 3 === 0 ? 'gpt-5-codex' : 'claude-sonnet-4-5' },
      tokens: { input: 900 * size, cache_read: 24_000 * size, output: 420 * size },
      time: { at: Date.now() - (20 - day) * 24 * HOUR_MS - (index % 12) * 300_000, total_ms: 4_000 * size },
    })
  })
  const prices = ['claude-sonnet-4-5', 'gpt-5-codex'].map((model) => ({
    model,
    input: 3,
    cache_read: 0.3,
    cache_write_5m: 3.75,
    cache_write_1h: 6,
    output: 15,
  }))
  await expecting(200, world.call('PUT', '/gateway-prices', { as: 'admin', body: { prices } }))
  await world.call('POST', '/gateway/records', {
    as: { token: made.service_key },
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
  })
}
