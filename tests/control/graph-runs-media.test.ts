import { beforeAll, expect, test } from 'bun:test'
import { graph, node } from '../support/graphs'
import { eachDatabase } from '../support/world'

eachDatabase((world) => {
  beforeAll(async () => {
    await world().registerModel('stt', { modality: 'audio.transcription' })
    await world().registerModel('tts', { modality: 'audio.speech' })
    await world().registerModel('art', { modality: 'images.generation' })
  })
  const models = {
    stt: { binding: 'standard-compatible', model: 'stt', params: { language: 'en' } },
    tts: { binding: 'standard-compatible', model: 'tts' },
    art: { binding: 'standard-compatible', model: 'art' },
  }
  const one = (type: string, model: string, handle: string, port: string, params = {}) =>
    graph(
      [node('in', 'input'), node('step', type, { config: { model, params } }), node('out', 'output')],
      [`in.out>step.${port}`, `step.${handle}>out.in`],
      { models },
    )
  const run = async (ir: unknown, input: unknown) =>
    (await world().call('POST', '/graphs/runs', { as: 'editor', body: { ir, input, stream: false } })).body
  const artifact = async (ref: string) => {
    const response = await fetch(`${world().urls.control}/artifacts/${ref}`, {
      headers: { authorization: `Bearer ${await world().token('viewer')}` },
    })
    return { type: response.headers.get('content-type'), bytes: await response.bytes() }
  }
  const upload = async (bytes: Uint8Array, type: string) =>
    (
      await world().call('POST', '/artifacts', {
        as: 'viewer',
        body: bytes,
        headers: { 'content-type': type },
      })
    ).body

  test('speech is made into text: the recording goes to the model with a fitting name and the params', async () => {
    const recording = await upload(new Uint8Array([1, 2, 3]), 'audio/webm')
    for (const input of [recording, recording.ref]) {
      const { output } = await run(one('transcribe', 'stt', 'text', 'audio'), input)
      expect(output).toBe('hello from a recording')
      const form = world().provider.seen.at(-1)!.body as FormData
      const file = form.get('file') as unknown as File
      // Servers go by the name: the type is lost on the way through some parsers.
      expect([form.get('language'), file.name]).toEqual(['en', 'recording.webm'])
      expect(await file.bytes()).toEqual(new Uint8Array([1, 2, 3]))
    }
  })

  test('a recording that is not there is the node’s failure, not the run’s', async () => {
    const ref = `art_${'0'.repeat(26)}`
    const { status, output } = await run(one('transcribe', 'stt', 'err', 'audio'), ref)
    expect([status, output]).toEqual(['completed', expect.stringContaining(ref)])
  })

  test('text is spoken into an artifact', async () => {
    const { output } = await run(one('speak', 'tts', 'audio', 'text', { speed: 1.5 }), 'hello')
    const { ref, contentType, bytes } = JSON.parse(output)
    expect([contentType, bytes]).toEqual(['audio/mpeg', 6])
    expect(await artifact(ref)).toEqual({
      type: 'audio/mpeg',
      bytes: new Uint8Array([0x49, 0x44, 0x33, 1, 2, 3]),
    })
    const asked = world().provider.seen.at(-1)!.body as Record<string, unknown>
    expect(asked).toMatchObject({ input: 'hello', response_format: 'mp3', speed: 1.5 })
    expect(asked).not.toHaveProperty('voice')
  })

  test('an image is drawn into an artifact', async () => {
    const { output } = await run(one('imagine', 'art', 'out', 'in', { size: '64x64' }), 'a fox')
    const { ref, contentType } = JSON.parse(output)
    expect(contentType).toBe('image/png')
    expect((await artifact(ref)).bytes.slice(1, 4)).toEqual(new TextEncoder().encode('PNG'))
    expect(world().provider.seen.at(-1)!.body).toMatchObject({
      prompt: 'a fox',
      size: '64x64',
      response_format: 'b64_json',
    })
  })

  test('a provider that refuses is the node’s failure', async () => {
    world().provider.on('/v1/audio/speech', () =>
      Response.json({ error: { message: 'No such voice.' } }, { status: 400 }),
    )
    const { status, output } = await run(one('speak', 'tts', 'err', 'text'), 'hello')
    expect([status, output]).toEqual(['completed', 'No such voice.'])
  })

  test('an answer that holds nothing is, too', async () => {
    world().provider.on('/v1/images/generations', () => Response.json({ data: [] }))
    const { output } = await run(one('imagine', 'art', 'err', 'in'), 'a fox')
    expect(output).toMatch('no image')
  })
})
