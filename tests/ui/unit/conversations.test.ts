import { describe, expect, test } from 'bun:test'
import type { RunFrame } from '../../../ui/chat/answer'
import { conversations, type Question } from '../../../ui/chat/conversations'
import type { Source } from '../../../ui/chat/follow'
import type { Shelf } from '../../../ui/chat/unfinished'

const QUESTION: Question = { sessionId: 's1', model: 'm', input: 'Why?' }
const frame = (id: number, event: string, data: object): RunFrame => ({
  event,
  id: String(id),
  data: JSON.stringify({ runId: 'r1', ...data }),
})
const RUN = [
  frame(1, 'run', { status: 'streaming' }),
  frame(2, 'delta', { delta: 'Be' }),
  frame(3, 'delta', { delta: 'cause' }),
  frame(4, 'run', { status: 'completed' }),
  { data: '[DONE]' },
]

function shelf(): Shelf & { size: number } {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    get size() {
      return values.size
    },
  }
}

/** Conversations of one tab; `pause` holds the stream before the frame of that index until it is let go. */
function tab(storage = shelf(), source: Partial<Required<Source>> = {}) {
  const ended = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const asked: string[] = []
  const frames = async function* (from: number, signal: AbortSignal) {
    for (const [index, next] of RUN.entries()) {
      if (index < from) continue
      if (index === 2 && from < 2) await Promise.race([held.promise, aborted(signal)])
      yield next
    }
  }
  let clock = 0
  const here = conversations({
    source: () => ({
      start: async (signal) => {
        asked.push('start')
        return frames(0, signal)
      },
      attach: async (_run, last, signal) => {
        asked.push(`attach ${last}`)
        return frames(Number(last), signal)
      },
      record: async () => ({ status: 'completed', output: 'Because', error: null }),
      wait: async () => undefined,
      ...source,
    }),
    shelf: storage,
    now: () => (clock += 1000),
    soon: (run) => run(),
    ended: () => ended.resolve(),
    failureOf: (error) => error as { message: string; code: string },
  })
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const leave = here.subscribe(check)
      function check() {
        if (!condition()) return
        leave()
        resolve()
      }
      check()
    })
  return { here, asked, storage, ended: ended.promise, letGo: held.resolve, until }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

const answerIn = (here: ReturnType<typeof conversations>) => here.turns('s1').at(-1)!.answer

describe('the turns asked in a tab', () => {
  test('an answer comes in, and leaves nothing behind for a reload', async () => {
    const { here, ended, letGo, storage } = tab()
    here.ask(QUESTION)
    letGo()
    await ended
    expect(answerIn(here)).toMatchObject({ phase: 'completed', text: 'Because', runId: 'r1' })
    expect(storage.size).toBe(0)
  })

  test('a reload in the middle goes on where the text ends', async () => {
    const before = tab()
    before.here.ask(QUESTION)
    await before.until(() => answerIn(before.here).text === 'Be')
    before.here.saveAll()

    const after = tab(before.storage)
    after.here.resume('s1')
    expect(answerIn(after.here).text).toBe('Be')
    await after.ended
    expect(after.asked).toEqual(['attach 2'])
    expect(answerIn(after.here)).toMatchObject({ phase: 'completed', text: 'Because' })
    expect(after.storage.size).toBe(0)
  })

  test('a second question waits for the first answer', async () => {
    const { here, asked, letGo, ended } = tab()
    here.ask(QUESTION)
    here.ask({ ...QUESTION, input: 'And?' })
    letGo()
    await ended
    expect(here.turns('s1')).toHaveLength(1)
    expect(asked).toEqual(['start'])
  })

  test('a refused question shows why, survives a reload, and can be asked again', async () => {
    const refused = tab(shelf(), {
      start: () => Promise.reject({ message: 'No key.', code: 'credential_error' }),
    })
    refused.here.ask(QUESTION)
    await refused.ended
    expect(answerIn(refused.here)).toMatchObject({ phase: 'failed', failure: { code: 'credential_error' } })

    const after = tab(refused.storage)
    after.here.resume('s1')
    expect(answerIn(after.here)).toMatchObject({ phase: 'failed', failure: { message: 'No key.' } })
    after.here.drop('s1', new Set(after.here.turns('s1').map(({ key }) => key)))
    after.here.ask(QUESTION)
    after.letGo()
    await after.ended
    expect(after.here.turns('s1')).toHaveLength(1)
    expect(answerIn(after.here)).toMatchObject({ phase: 'completed', text: 'Because' })
  })

  test('an empty answer is explained from the run’s record', async () => {
    const note = 'The model used up its tokens.'
    const frames = async function* () {
      yield RUN[0]!
      yield RUN[3]!
      yield RUN[4]!
    }
    const { here, ended } = tab(shelf(), {
      start: async () => frames(),
      record: async () => ({ status: 'completed', output: '', error: note }),
    })
    here.ask(QUESTION)
    await ended
    expect(answerIn(here)).toMatchObject({ phase: 'completed', text: '', failure: { message: note } })
  })

  test('a question given up before the run had an id is stopped, not failed', async () => {
    const { here, until } = tab(shelf(), { start: (signal) => aborted(signal) })
    here.ask(QUESTION)
    here.abandon('s1')
    await until(() => answerIn(here).phase !== 'connecting')
    expect(answerIn(here)).toMatchObject({ phase: 'stopped', failure: null })
  })

  test('nothing stays for whoever signs in next', async () => {
    const { here, storage, until } = tab()
    here.ask(QUESTION)
    await until(() => answerIn(here).text === 'Be')
    here.saveAll()
    here.clear()
    expect(here.turns('s1')).toEqual([])
    expect(storage.size).toBe(0)
  })

  test('the same list comes back as long as nothing changed', () => {
    const { here } = tab()
    expect(here.turns('s1')).toBe(here.turns('s1'))
    here.ask(QUESTION)
    expect(here.turns('s1')).toBe(here.turns('s1'))
  })
})
