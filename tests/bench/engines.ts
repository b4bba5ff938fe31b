import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeNoise, makeParrot } from '../support/make-tiny-gguf'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

/** 75 million parameters: a token takes some milliseconds, as it does of real models on better machines. */
const NOISE = { layers: 8, width: 768, feedForward: 2048, heads: 12, kvHeads: 4, words: 16_000 }
const STREAMS = 8
const TOKENS = 64
const ROUNDS = 9
const FIRST_TOKENS = 100
const TEXTS = 64
const IDLE_MS = 5_000

const messages = [{ role: 'user', content: 'Say something.' }]

/** Where a model is asked: through Tycho, at the engine's own port, or in this process. */
interface Way {
  name: string
  /** Runs one answer of so many tokens; resolves with the milliseconds to its first token. */
  answer(tokens: number): Promise<number>
  embed?(texts: string[]): Promise<void>
}

/** What the inference plane adds to the engine that is part of Tycho: the same weights, in one run, one after the other. */
export async function benchEngines(command: string[]) {
  const folder = emptyFolder()
  const weights = { chat: join(folder, 'noise.gguf'), texts: join(folder, 'parrot.gguf') }
  makeNoise(weights.chat, NOISE)
  makeParrot(weights.texts)
  await using tycho = await startTycho({
    command,
    args: ['serve', '--log-level', 'warn'],
    env: bareEnvironment(folder),
  })
  await Bun.sleep(IDLE_MS)
  table('Memory of Tycho with no engine in it', [{ measure: 'resident MiB', value: residentMiB(tycho.pid) }])

  const { inference } = tycho.urls as { inference: string }
  const local = { binding: 'llamacpp', source: 'local-path' }
  const params = { ctxSize: 4096, parallel: STREAMS }
  await put(inference, 'chat', { ...local, model: weights.chat, params })
  await put(inference, 'texts', { ...local, model: weights.texts, modality: 'embeddings' })

  const through = overHttp('through Tycho', `${inference}/v1`, { chat: 'chat', texts: 'texts' })
  await Promise.all([through.answer(8), through.embed!(['x'])])
  const raw = overHttp('engine, its own port', await portOf(inference, 'chat'), { chat: 'x', texts: 'x' })
  const rawTexts = overHttp('engine, its own port', await portOf(inference, 'texts'), {
    chat: 'x',
    texts: 'x',
  })
  const inProcess = await inThisProcess(weights.chat, weights.texts)
  const ways = [raw, through, inProcess]

  for (const atOnce of [1, STREAMS]) await throughput(ways, atOnce)
  await firstToken(ways)
  await embeddings([rawTexts, through, inProcess])
  await ownWork(through, tycho.pid)
}

/** The processor's time that Tycho itself takes: unlike the others, this figure is the same on a busy machine. */
async function ownWork({ answer, embed }: Way, pid: number) {
  const before = processorMs(pid)
  await Promise.all(Array.from({ length: STREAMS }, () => answer(TOKENS)))
  const between = processorMs(pid)
  await embed!(Array.from({ length: TEXTS }, (_, index) => `text ${index}`))
  table("Processor time of Tycho's own process", [
    { of: '1,000 streamed tokens', ms: round(((between - before) / (STREAMS * TOKENS)) * 1000, 1) },
    { of: '1,000 embedded texts', ms: round(((processorMs(pid) - between) / TEXTS) * 1000, 1) },
  ])
}

async function throughput(ways: Way[], atOnce: number) {
  const perSecond = await inTurns(ways, ROUNDS, async ({ answer }) => {
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: atOnce }, () => answer(TOKENS)))
    return (atOnce * TOKENS) / ((performance.now() - startedAt) / 1000)
  })
  compare(`Tokens a second, ${atOnce} at once`, ways, perSecond, 'tokens/s')
}

async function firstToken(ways: Way[]) {
  const samples = await inTurns(ways, FIRST_TOKENS, ({ answer }) => answer(1))
  const bare = quantile(samples[0]!, 0.5)
  table(
    'First token',
    ways.map(({ name }, index) => {
      const p50 = quantile(samples[index]!, 0.5)
      return { way: name, 'p50 ms': round(p50), 'added p50 ms': round(p50 - bare) }
    }),
  )
}

async function embeddings(ways: Way[]) {
  const texts = Array.from(
    { length: TEXTS },
    (_, index) => `${index} green apples of the ${index * 7}th tree`,
  )
  const perSecond = await inTurns(ways, ROUNDS, async ({ embed }) => {
    const startedAt = performance.now()
    await embed!(texts)
    return TEXTS / ((performance.now() - startedAt) / 1000)
  })
  compare(`Texts embedded a second, ${TEXTS} to a request`, ways, perSecond, 'texts/s')
}

/**
 * Rounds of all ways, one way after the other in each, so that what else the machine does falls upon all of them; who
 * comes first changes from round to round.
 */
async function inTurns(
  ways: Way[],
  rounds: number,
  work: (way: Way) => Promise<number>,
): Promise<number[][]> {
  const samples: number[][] = ways.map(() => [])
  for (const way of ways) await work(way)
  for (let i = 0; i < rounds; i++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const index = (i + turn) % ways.length
      samples[index]!.push(await work(ways[index]!))
    }
  }
  return samples
}

/** The ratio is the median of those within each round: what else the machine does changes from one to the next. */
function compare(title: string, ways: Way[], samples: number[][], unit: string) {
  table(
    title,
    ways.map(({ name }, index) => {
      const ratios = samples[index]!.map((value, at) => value / samples[0]![at]!)
      const median = quantile(samples[index]!, 0.5)
      return { way: name, [unit]: round(median, 1), '× engine': round(quantile(ratios, 0.5), 3) }
    }),
  )
}

function overHttp(name: string, base: string, models: { chat: string; texts: string }): Way {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      keepalive: false,
    })
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${await response.text()}`)
    return response
  }
  return {
    name,
    async answer(tokens) {
      const startedAt = performance.now()
      const options = { stream: true, max_tokens: tokens, temperature: 0, ignore_eos: true }
      const { body } = await post('/chat/completions', { model: models.chat, messages, ...options })
      let first = 0
      for await (const _ of body!) first ||= performance.now() - startedAt
      return first
    },
    async embed(texts) {
      await (await post('/embeddings', { model: models.texts, input: texts })).json()
    },
  }
}

/** node-llama-cpp with nothing around it, on a copy of the weights. */
async function inThisProcess(chat: string, texts: string): Promise<Way> {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error })
  const model = await llama.loadModel({ modelPath: chat })
  const context = await model.createContext({ contextSize: 512, sequences: STREAMS, threads: 1 })
  const free = Array.from({ length: STREAMS }, () => context.getSequence())
  const embedder = await llama.loadModel({ modelPath: texts })
  const vectors = await embedder.createEmbeddingContext({ contextSize: 4096, batchSize: 4096, threads: 1 })
  const prompt = model.tokenize('<|im_start|>user\nSay something.<|im_end|>\n<|im_start|>assistant\n', true)
  return {
    name: 'node-llama-cpp, in process',
    async answer(tokens) {
      const startedAt = performance.now()
      const sequence = free.pop()!
      await sequence.adaptStateToTokens(prompt.slice(0, -1), false)
      let first = 0
      let made = 0
      const rest = prompt.slice(sequence.nextTokenIndex)
      for await (const _ of sequence.evaluate(rest, { temperature: 0, yieldEogToken: true })) {
        first ||= performance.now() - startedAt
        if (++made === tokens) break
      }
      free.push(sequence)
      return first
    },
    async embed(all) {
      for (const text of all) await vectors.getEmbeddingFor(text)
    },
  }
}

async function put(inference: string, id: string, body: unknown) {
  const response = await fetch(`${inference}/admin/models/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${id} was not registered: ${await response.text()}`)
}

async function portOf(inference: string, id: string): Promise<string> {
  const response = await fetch(`${inference}/admin/models/${id}`)
  return ((await response.json()) as { state: { baseUrl: string } }).state.baseUrl
}

/** In user and kernel mode, to 10 ms (proc(5)). */
function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentMiB = (pid: number): number =>
  round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024, 1)
