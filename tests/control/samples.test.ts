import { beforeAll, describe, expect, test } from 'bun:test'
import { contentHash } from '#graph/hash'
import { parse } from '#graph/validate'
import { openDatabase } from '#kernel/db/open'
import { enqueue, reaches, resume } from '../support/durable'
import { eachDatabase } from '../support/world'

const IDS = [
  'hybrid-reasoner',
  'expense-approver',
  'second-opinion',
  'pii-firewall',
  'visual-inspector',
  'voice-desk',
  'art-department',
  'editorial-loop',
  'batch-briefing',
]
/** What runs durably, and the agents it brings besides its own. */
const DURABLE: Record<string, string[]> = {
  'expense-approver': [],
  'editorial-loop': ['sample-editorial-loop-editor'],
  'batch-briefing': ['sample-batch-briefing-writer'],
}
const chosen = (logical_id: string) => ({ logical_id, binding: 'standard-compatible' })
const MODELS = {
  local: chosen('small'),
  remote: chosen('large'),
  vision: chosen('seeing'),
  stt: chosen('hearing'),
  tts: chosen('speaking'),
  image: chosen('drawing'),
}
const agentId = (id: string) => `agent.sample-${id}`
const reported = (id: string, status: string) => ({
  id,
  agent_id: agentId(id),
  status,
  connections: [],
  rag_sources: [],
  warnings: [],
})

interface Asked {
  model: string
  messages: { role: string; content: unknown }[]
}

eachDatabase(
  (world) => {
    const install = (body: unknown, as: 'viewer' | 'editor' = 'editor') =>
      world().call('POST', '/samples/install', { as, body })
    const catalog = async () => (await world().call('GET', '/samples', { as: 'viewer' })).body.samples
    const versions = async (id: string) =>
      (await world().call('GET', `/agents/${agentId(id)}`, { as: 'viewer' })).body.versions
    const remove = (id: string) => world().call('DELETE', `/agents/${agentId(id)}`, { as: 'editor' })
    const run = async (id: string, input: unknown) => {
      const path = `/agents/${agentId(id)}/runs`
      const { status, body } = await world().call('POST', path, {
        as: 'viewer',
        body: { input, stream: false },
      })
      expect([status, body]).toEqual([200, expect.objectContaining({ status: 'completed' })])
      return body.output
    }
    const exampleOf = async (id: string) =>
      (await catalog()).find((sample: { id: string }) => sample.id === id).input_example
    /** What each model says, by the provider's name for it. */
    const script = (answers: Record<string, string | ((asked: Asked) => string)>) => {
      world().provider.seen.length = 0
      world().provider.answers((body) => {
        const asked = body as unknown as Asked
        const answer = answers[asked.model] ?? `nobody expected ${asked.model}`
        return { deltas: [typeof answer === 'string' ? answer : answer(asked)] }
      })
    }
    const asked = () =>
      world()
        .provider.seen.filter(({ path }) => path === '/v1/chat/completions')
        .map(({ body }) => body as Asked)
    const modelsAsked = () => asked().map(({ model }) => model)

    describe('the catalog', () => {
      test('shows any signed-in user what each sample needs', async () => {
        const samples = await catalog()
        expect(samples.map(({ id }: { id: string }) => id)).toEqual(IDS)
        for (const sample of samples) {
          expect(sample).toEqual({
            id: sample.id,
            title: expect.stringMatching(/./),
            description: expect.stringMatching(/./),
            capabilities: expect.arrayContaining([expect.any(String)]),
            durable: sample.id in DURABLE,
            input_example: sample.id === 'voice-desk' ? null : expect.anything(),
            agent_id: agentId(sample.id),
            agent_name: `sample-${sample.id}`,
            agent_names: [`sample-${sample.id}`, ...(DURABLE[sample.id] ?? [])],
            installed: false,
            model_slots: expect.any(Object),
            connections: [],
            rag_sources: [],
            trigger: sample.id === 'batch-briefing' ? { kind: 'schedule', enabled: false } : null,
          })
        }
        const slot = (modality: string | null) => ({
          label: expect.any(String),
          description: expect.any(String),
          modality,
        })
        const slots = samples.map(({ model_slots }: { model_slots: unknown }) => model_slots)
        expect(slots).toEqual([
          { local: slot(null), remote: slot(null) },
          { local: slot(null) },
          { local: slot(null), remote: slot(null) },
          { local: slot(null), remote: slot(null) },
          { vision: slot('vision') },
          { stt: slot('audio.transcription'), local: slot(null), tts: slot('audio.speech') },
          { local: slot(null), image: slot('images.generation') },
          { local: slot(null) },
          { local: slot(null) },
        ])
      })
    })

    describe('an installation that cannot be is refused, and writes nothing', () => {
      const local = MODELS.local
      const ids = ['pii-firewall']
      test.each([
        ['no ids', { ids: [], models: MODELS }, 400, 'invalid_install'],
        ['no list of ids', { models: MODELS }, 400, 'invalid_install'],
        ['an unknown sample', { ids: [...ids, 'nope'], models: MODELS }, 404, 'sample_not_found'],
        ['no models', { ids }, 400, 'sample_models_required'],
        ['an open slot', { ids, models: { local } }, 400, 'sample_models_required'],
        [
          'a slot of another sample left open',
          { ids: ['visual-inspector', ...ids], models: { vision: MODELS.vision } },
          400,
          'sample_models_required',
        ],
        [
          'an illegal binding',
          { ids, models: { local, remote: { logical_id: 'x', binding: 'gpt' } } },
          400,
          'sample_model_invalid',
        ],
        [
          'a model without a name',
          { ids, models: { local, remote: { ...local, logical_id: ' ' } } },
          400,
          'sample_model_invalid',
        ],
      ])('%s', async (_, body, status, code) => {
        const answer = await install(body)
        expect([answer.status, answer.body.error.code]).toEqual([status, code])
        const { body: list } = await world().call('GET', '/agents', { as: 'viewer' })
        expect(list.agents).toEqual([])
      })

      test('the message names the slots that are open', async () => {
        const { body } = await install({ ids: ['voice-desk'], models: { local } })
        expect(body.error.message).toMatch('stt, tts')
      })

      test('a viewer may look, not install', async () => {
        expect((await install({ ids, models: MODELS }, 'viewer')).status).toBe(403)
      })
    })

    describe('an installation', () => {
      test('publishes every sample once, and reports it', async () => {
        const { status, body } = await install({ ids: [...IDS, 'voice-desk'], models: MODELS })
        expect([status, body]).toEqual([200, { report: IDS.map((id) => reported(id, 'installed')) }])
        for (const sample of await catalog()) expect(sample.installed).toBe(true)
      })

      test('brings its schedule along, switched off', async () => {
        const path = '/triggers?agent_id=agent.sample-batch-briefing'
        const { triggers } = (await world().call('GET', path, { as: 'editor' })).body
        expect(triggers).toMatchObject([
          {
            kind: 'schedule',
            version: '1.0.0',
            config: { cron: '0 7 * * 1', input: expect.any(Array) },
            enabled: false,
            next_fire_at: null,
          },
        ])
      })

      test('again finds them there, also without models, and changes nothing', async () => {
        const before = await versions('pii-firewall')
        const { status, body } = await install({ ids: IDS })
        expect([status, body]).toEqual([200, { report: IDS.map((id) => reported(id, 'already_installed')) }])
        expect(await versions('pii-firewall')).toEqual(before)
      })

      test('puts a sample that was deleted back, beside those that are there', async () => {
        await remove('second-opinion')
        const { body } = await install({ ids: ['pii-firewall', 'second-opinion'], models: MODELS })
        expect(body.report).toEqual([
          reported('pii-firewall', 'already_installed'),
          reported('second-opinion', 'installed'),
        ])
      })

      test('many at once install it once', async () => {
        await remove('second-opinion')
        const all = await Promise.all(
          Array.from({ length: 8 }, () => install({ ids: ['second-opinion'], models: MODELS })),
        )
        const statuses = all.map(({ body }) => body.report[0].status)
        expect(statuses.sort()).toEqual([...Array(7).fill('already_installed'), 'installed'])
        expect(await versions('second-opinion')).toHaveLength(1)
      })

      test('adds its version to an agent that is there without, or says what that needs and goes on', async () => {
        await remove('second-opinion')
        await remove('art-department')
        const own = {
          schemaVersion: '1.0',
          id: agentId('second-opinion'),
          name: 'My own',
          version: '0.1.0',
        }
        await world().call('POST', '/agents', { as: 'editor', body: { ir: own } })
        const { local, image } = MODELS
        const { body } = await install({
          ids: ['second-opinion', 'art-department'],
          models: { local, image },
        })
        expect(body.report).toEqual([
          {
            ...reported('second-opinion', 'error'),
            error: { code: 'sample_models_required', message: expect.stringContaining('remote') },
          },
          reported('art-department', 'installed'),
        ])
        expect(await versions('second-opinion')).toHaveLength(1)

        const again = await install({ ids: ['second-opinion'], models: MODELS })
        expect(again.body.report).toEqual([
          {
            ...reported('second-opinion', 'installed'),
            warnings: [expect.stringContaining(agentId('second-opinion'))],
          },
        ])
        const all = await versions('second-opinion')
        expect(all.map(({ version }: { version: string }) => version)).toEqual(['1.0.0', '0.1.0'])
      })
    })

    describe('what is installed', () => {
      test.each(IDS)('%s is a sound document that hashes to the hash it is stored under', async (id) => {
        const { body } = await world().call('GET', `/agents/${agentId(id)}/versions/1.0.0`, { as: 'viewer' })
        const { document, problems } = parse(body.ir)
        expect(problems).toEqual([])
        expect(contentHash(document!)).toBe(body.content_hash)
        expect(body.ir).toMatchObject({
          schemaVersion: '1.0',
          id: agentId(id),
          name: `sample-${id}`,
          version: '1.0.0',
          contentHash: body.content_hash,
          metadata: { sample: id },
        })
        for (const [slot, model] of Object.entries(body.ir.models)) {
          expect(model).toMatchObject({
            binding: 'standard-compatible',
            model: MODELS[slot as keyof typeof MODELS].logical_id,
          })
        }
        // Laid out: every node has a place of its own.
        const places = body.ir.nodes.map((node: { id: string }) =>
          JSON.stringify(body.view.nodes[node.id].position),
        )
        expect(new Set(places).size).toBe(body.ir.nodes.length)
      })
    })

    describe('a durable run of', () => {
      const example = async (id: string) => enqueue(world(), agentId(id), await exampleOf(id))

      beforeAll(async () => {
        await world().registerModel('small', { model: 'small' })
        await install({ ids: IDS, models: MODELS })
      })

      test.each([
        ['approve', '{"decision":"approve","comment":"fine"}'],
        ['reject', '{"status":"rejected","answer":{"decision":"reject","comment":"fine"}}'],
      ])('expense-approver: a person says %s', async (decision, output) => {
        script({ small: 'A dinner.' })
        const id = await example('expense-approver')
        expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'approval' })
        const { body } = await world().call('GET', `/runs/${id}/awaiting`, { as: 'editor' })
        expect(body.input.in).toMatchObject({ summary: 'A dinner.', claim: { employee: 'Dana' } })
        await resume(world(), id, { decision, comment: 'fine' })
        expect(await reaches(world(), id, 'completed')).toMatchObject({ output })
      })

      test('editorial-loop: turn by turn until the editor approves', async () => {
        let turns = 0
        script({
          small: () =>
            JSON.stringify({ text: `version ${++turns}`, notes: 'shorter', approved: turns === 2 }),
        })
        const id = await example('editorial-loop')
        expect(await reaches(world(), id, 'completed', 'failed')).toMatchObject({ output: 'version 2' })
        expect(asked()[1]!.messages.at(-1)!.content).toContain('version 1')
        expect(asked()[0]).toMatchObject({ response_format: { type: 'json_object' } })
      })

      test('batch-briefing: a briefing for each topic, within the budget of the one who writes them', async () => {
        script({ small: (chat) => `On ${chat.messages.at(-1)!.content}` })
        const id = await example('batch-briefing')
        const { output } = await reaches(world(), id, 'completed', 'failed')
        const topics: string[] = await exampleOf('batch-briefing')
        expect(JSON.parse(output)).toEqual(
          topics.map((topic, index) => ({ index, status: 'completed', output: `On ${topic}` })),
        )
        await using database = openDatabase(world().env.DATABASE_URL!)
        const spans = await database.db
          .selectFrom('spans')
          .select('agent_id')
          .where('run_id', '=', id)
          .where('total_tokens', 'is not', null)
          .execute()
        expect(spans.map(({ agent_id }) => agent_id)).toEqual(
          topics.map(() => 'agent.sample-batch-briefing-writer'),
        )
      })
    })

    describe('a run of', () => {
      beforeAll(async () => {
        const register = (id: string, modality: string) => world().registerModel(id, { model: id, modality })
        await register('small', 'chat')
        await register('large', 'chat')
        await register('seeing', 'vision')
        await register('hearing', 'audio.transcription')
        await register('speaking', 'audio.speech')
        await register('drawing', 'images.generation')
        await install({ ids: IDS, models: MODELS })
      })

      test('any sample asks its chat models coolly, briefly and without thinking aloud', async () => {
        script({ small: 'LOCAL\nhi', large: 'x' })
        await run('hybrid-reasoner', 'hi')
        expect(asked()[0]).toMatchObject({
          temperature: 0.2,
          max_tokens: 1024,
          chat_template_kwargs: { enable_thinking: false },
        })
      })

      test.each([
        ['LOCAL', 'small', 'from small'],
        ['REMOTE', 'large', 'from large'],
        ['**Remote**.', 'large', 'from large'],
      ])('hybrid-reasoner: the triage says %s, so %s answers', async (verdict, model, output) => {
        const input = await exampleOf('hybrid-reasoner')
        const isTriage = (chat: Asked) => String(chat.messages[0]!.content).startsWith('You decide')
        script({
          small: (chat) => (isTriage(chat) ? verdict : 'from small'),
          large: 'from large',
        })
        expect(await run('hybrid-reasoner', input)).toBe(output)
        expect(modelsAsked()).toEqual(['small', model])
        // Both are asked the very question, also the one that only says who answers it.
        expect(asked().map(({ messages }) => messages.at(-1)!.content)).toEqual([input, input])
      })

      test('second-opinion: both models answer, and the judge sees question and answers', async () => {
        const input = await exampleOf('second-opinion')
        const isJudge = (chat: Asked) => String(chat.messages[0]!.content).startsWith('Two advisers')
        script({ small: (chat) => (isJudge(chat) ? 'Both.' : 'Yes.'), large: 'No.' })
        expect(await run('second-opinion', input)).toBe('Both.')
        expect(modelsAsked().sort()).toEqual(['large', 'small', 'small'])
        const verdict = asked().find(isJudge)!.messages.at(-1)!.content
        expect(verdict).toBe(`Question:\n${input}\n\nFirst answer:\nYes.\n\nSecond answer:\nNo.`)
      })

      test('pii-firewall: text with personal data stays with the local model', async () => {
        script({ small: 'from small', large: 'from large' })
        expect(await run('pii-firewall', await exampleOf('pii-firewall'))).toBe('from small')
        expect(modelsAsked()).toEqual(['small'])
      })

      test('pii-firewall: text without goes to the remote one', async () => {
        script({ small: 'from small', large: 'from large' })
        expect(await run('pii-firewall', 'Write a haiku about the sea.')).toBe('from large')
        expect(modelsAsked()).toEqual(['large'])
      })

      test.each([
        ['pass', '{"verdict": "pass", "reasons": ["One red disc."]}', 'passed'],
        ['fail', '{"verdict": "fail", "reasons": ["The disc is blue."]}', 'failed'],
        ['nothing that can be read', 'Looks fine to me.', 'unreadable'],
      ])('visual-inspector: the model says %s', async (_, answer, output) => {
        const input = await exampleOf('visual-inspector')
        script({ seeing: answer })
        const { body } = await world().call('POST', `/agents/${agentId('visual-inspector')}/runs`, {
          as: 'viewer',
          body: { input, stream: false },
        })
        expect([body.status, body.output]).toEqual(['completed', answer])
        const content = asked()[0]!.messages.at(-1)!.content
        expect(content).toEqual([
          { type: 'text', text: `${input.text}\n\nCriteria:\n${input.criteria}` },
          { type: 'image_url', image_url: { url: input.image } },
        ])
        expect(input.image).toStartWith('data:image/png;base64,')
        const trace = await world().call('GET', `/runs/${body.runId}/trace`, { as: 'viewer' })
        const ends = trace.body.spans.filter(
          (span: { node_id: string; status: string }) =>
            ['passed', 'failed', 'unreadable'].includes(span.node_id) && span.status !== 'skipped',
        )
        expect(ends.map((span: { node_id: string }) => span.node_id)).toEqual([output])
      })

      test('voice-desk: a recording is heard, answered, and the answer spoken', async () => {
        script({ small: 'Good day to you.' })
        const { body: recording } = await world().call('POST', '/artifacts', {
          as: 'viewer',
          body: silence(),
          headers: { 'content-type': 'audio/wav' },
        })
        const output = JSON.parse(await run('voice-desk', recording))
        expect(output).toEqual({ ref: expect.stringMatching(/^art_/), contentType: 'audio/mpeg', bytes: 6 })
        expect(asked()[0]!.messages.at(-1)!.content).toBe('hello from a recording')
        expect(world().provider.seen.at(-1)).toMatchObject({
          path: '/v1/audio/speech',
          body: { input: 'Good day to you.' },
        })
        expect(world().provider.seen.at(-1)!.body).not.toHaveProperty('voice')
      })

      test('voice-desk: what cannot be heard or spoken is the output', async () => {
        script({ small: 'Good day to you.' })
        const ref = `art_${'0'.repeat(26)}`
        expect(await run('voice-desk', { ref, contentType: 'audio/wav' })).toMatch(ref)
        expect(asked()).toEqual([])

        world().provider.on('/v1/audio/speech', () =>
          Response.json({ error: { message: 'No voice today.' } }, { status: 400 }),
        )
        const { body: recording } = await world().call('POST', '/artifacts', {
          as: 'viewer',
          body: silence(),
          headers: { 'content-type': 'audio/wav' },
        })
        expect(await run('voice-desk', recording)).toBe('No voice today.')
      })

      test('art-department: the brief becomes a prompt, and the prompt a picture', async () => {
        script({ small: 'A steaming bowl of soup, warm light.' })
        const output = await run('art-department', await exampleOf('art-department'))
        const { ref, contentType } = JSON.parse(output)
        expect(contentType).toBe('image/png')
        const picture = await fetch(`${world().urls.control}/artifacts/${ref}`, {
          headers: { authorization: `Bearer ${await world().token('viewer')}` },
        })
        expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
        expect(world().provider.seen.at(-1)!.body).toMatchObject({
          prompt: 'A steaming bowl of soup, warm light.',
        })
      })

      test('art-department: why nothing was drawn is the output', async () => {
        script({ small: 'A bowl.' })
        world().provider.on('/v1/images/generations', () =>
          Response.json({ error: { message: 'Out of paint.' } }, { status: 400 }),
        )
        expect(await run('art-department', 'A bowl')).toBe('Out of paint.')
      })
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)

/** A tenth of a second, as a WAV file of 8,000 one-byte samples a second. */
function silence(): Uint8Array {
  const samples = 800
  const file = new DataView(new ArrayBuffer(44 + samples))
  const text = (at: number, word: string) =>
    [...word].forEach((letter, index) => {
      file.setUint8(at + index, letter.charCodeAt(0))
    })
  text(0, 'RIFF')
  file.setUint32(4, 36 + samples, true)
  text(8, 'WAVEfmt ')
  file.setUint32(16, 16, true)
  file.setUint16(20, 1, true)
  file.setUint16(22, 1, true)
  file.setUint32(24, 8_000, true)
  file.setUint32(28, 8_000, true)
  file.setUint16(32, 1, true)
  file.setUint16(34, 8, true)
  text(36, 'data')
  file.setUint32(40, samples, true)
  new Uint8Array(file.buffer).fill(128, 44)
  return new Uint8Array(file.buffer)
}
