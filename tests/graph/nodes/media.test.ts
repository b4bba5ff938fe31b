import { describe, expect, test } from 'bun:test'
import { play } from '../run-support'
import { type AuthoredNode, edge, node } from '../support'

const REF = 'art_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const models = {
  small: { binding: 'mlx', model: 'media', params: { format: 'wav', sampleRate: 8, voice: 'a' } },
}

const media = async (made: AuthoredNode, input: unknown, more: Parameters<typeof play>[2] = {}) => {
  const played = await play([node('a', 'input'), made], [edge('a.out', `m.${made.ports.in[0]!.id}`)], {
    input,
    ...more,
  })
  return { ...played, outputs: played.io.get('m')?.outputs }
}

const withErr = (made: AuthoredNode) => ({
  ...made,
  ports: { ...made.ports, out: [{ id: 'out' }, { id: 'err', type: 'error' }] },
})

/** Keeps what it is given, and says what it was. */
const shelf = () => {
  const kept: { type: string; text: string }[] = []
  return {
    kept,
    keep: async (blob: Blob) => {
      kept.push({ type: blob.type, text: await blob.text() })
      return { ref: REF, contentType: blob.type, bytes: blob.size }
    },
  }
}

describe('transcribe', () => {
  test.each([
    ['a reference', { ref: REF, contentType: 'audio/wav' }, REF],
    ['an id', REF, REF],
    ['a URL', 'https://x/a.wav', 'https://x/a.wav'],
  ])('hears %s', async (_, input, reference) => {
    const read: string[] = []
    const asked: unknown[] = []
    const { outputs } = await media(node('m', 'transcribe', { params: { language: 'de' } }), input, {
      artifacts: {
        read: async (wanted) => {
          read.push(wanted)
          return new Blob(['sound'])
        },
      },
      models: {
        transcribe: async ({ model, audio, params }) => {
          asked.push({ model, params, audio: await audio.text() })
          return 'what was said'
        },
      },
    })
    expect(outputs).toEqual({ text: 'what was said' })
    expect(read).toEqual([reference])
    expect(asked).toEqual([{ model: 'small-chat', params: { language: 'de' }, audio: 'sound' }])
  })

  test.each([['/etc/passwd'], ['file:///etc/passwd'], [{}], [null], [5], [{ ref: '../x' }]])(
    'refuses %j as a value',
    async (input) => {
      const { outputs, error } = await media(withErr(node('m', 'transcribe')), input)
      expect(error).toBeUndefined()
      expect(outputs).toEqual({ err: expect.stringContaining('There is no recording in the input') })
    },
  )
})

describe('speak', () => {
  test.each([
    ['mp3 where nothing is said', {}, undefined, { response_format: 'mp3' }, 'audio/mpeg'],
    ['the binding', {}, models, { response_format: 'wav', sample_rate: 8, voice: 'a' }, 'audio/wav'],
    [
      'the node before the binding',
      { format: 'opus', voice: 'b' },
      models,
      { response_format: 'opus', sample_rate: 8, voice: 'b' },
      'audio/ogg',
    ],
  ])('says its text by %s', async (_, params, bound, sent, contentType) => {
    const { kept, keep } = shelf()
    const asked: unknown[] = []
    const { outputs } = await media(node('m', 'speak', { params }), 'hello', {
      ...(bound ? { rest: { models: bound } } : {}),
      artifacts: { keep },
      models: {
        speak: async (request) => {
          asked.push(request)
          return new Blob(['sound'], { type: 'application/octet-stream' })
        },
      },
    })
    expect(outputs).toEqual({ audio: { ref: REF, contentType, bytes: 5 } })
    expect(kept).toEqual([{ type: contentType, text: 'sound' }])
    expect(asked).toEqual([{ model: bound ? 'media' : 'small-chat', input: 'hello', params: sent }])
  })
})

test('imagine draws its text', async () => {
  const { kept, keep } = shelf()
  const asked: unknown[] = []
  const { outputs, span } = await media(
    node('m', 'imagine', { params: { size: '64x64', steps: 2 } }),
    { a: 1 },
    {
      artifacts: { keep },
      models: {
        draw: async (request) => {
          asked.push(request)
          return new Blob(['pixels'])
        },
      },
    },
  )
  expect(outputs).toEqual({ out: { ref: REF, contentType: 'image/png', bytes: 6 } })
  expect(kept).toEqual([{ type: 'image/png', text: 'pixels' }])
  expect(asked).toEqual([{ model: 'small-chat', prompt: '{"a":1}', params: { size: '64x64', steps: 2 } }])
  expect(span('m').close!.attributes).toEqual({ 'gen_ai.request.model': 'small-chat' })
})

test.each(['transcribe', 'speak', 'imagine'] as const)('%s never fails the run', async (type) => {
  const down = () => Promise.reject(new Error('no engine'))
  const { outputs, result } = await media(withErr(node('m', type)), REF, {
    artifacts: { read: async () => new Blob() },
    models: { transcribe: down, speak: down, draw: down },
  })
  expect(outputs).toEqual({ err: 'no engine' })
  expect(result).toMatchObject({ note_code: 'upstream_error' })
})

test.each(['speak', 'imagine'] as const)('%s of nothing is a failure as a value', async (type) => {
  expect((await media(withErr(node('m', type)), null)).outputs).toEqual({ err: 'The input is empty.' })
})
