import { describe, expect, test } from 'bun:test'
import {
  type Answer,
  newAnswer,
  paceOf,
  type RunFrame,
  thinkingMs,
  withFrame,
  withRecord,
} from '../../../ui/chat/answer'

const frame = (event: string, data: object, id?: number): RunFrame => ({
  event,
  data: JSON.stringify({ runId: 'r1', ...data }),
  ...(id === undefined ? {} : { id: String(id) }),
})

/** One frame every 100 ms from 1,000 on; the question was asked at 0. */
const after = (...frames: RunFrame[]) => add(newAnswer(0), frames)
const add = (answer: Answer, frames: RunFrame[], from = 1000) =>
  frames.reduce((known, next, index) => withFrame(known, next, from + index * 100), answer)

describe('the answer of a run', () => {
  test('grows piece by piece and ends completed', () => {
    const answer = after(
      frame('run', { status: 'streaming', model: 'm' }, 1),
      frame('delta', { delta: 'Hel' }, 2),
      frame('delta', { delta: 'lo' }, 3),
      frame('run', { status: 'completed' }, 4),
      { data: '[DONE]' },
    )
    expect(answer).toMatchObject({
      phase: 'completed',
      runId: 'r1',
      text: 'Hello',
      failure: null,
      endedAt: 1300,
    })
  })

  test('keeps thinking apart from text, with its own duration', () => {
    const thinking = after(
      frame('run', { status: 'streaming' }, 1),
      frame('reasoning', { reasoning: 'Hm.' }, 2),
    )
    expect(thinking.phase).toBe('thinking')
    expect(thinkingMs(thinking, 4100)).toBe(3000)

    const answering = withFrame(thinking, frame('delta', { delta: 'Yes' }, 3), 4300)
    expect(answering).toMatchObject({ phase: 'answering', text: 'Yes', reasoning: 'Hm.' })
    expect(thinkingMs(answering, 9999)).toBe(3200)
  })

  test('hears a frame once, however often a re-attached stream repeats it', () => {
    const heard = after(frame('run', { status: 'streaming' }, 1), frame('delta', { delta: 'a' }, 9))
    const again = add(heard, [frame('delta', { delta: 'a' }, 9), frame('delta', { delta: 'b' }, 10)])
    expect(again).toMatchObject({ text: 'ab', lastEventId: '10' })
  })

  test('says why it failed, whether the reason is text or an error object', () => {
    const text = after(frame('run', { status: 'failed', error: 'the provider hung up' }))
    expect(text).toMatchObject({ phase: 'failed', failure: { message: 'the provider hung up' } })
    const error = { message: 'no key', code: 'credential_error' }
    expect(after(frame('run', { status: 'failed', error }))).toMatchObject({
      phase: 'failed',
      failure: error,
    })
  })

  test('is stopped, not failed, when the run was cancelled', () => {
    const answer = after(
      frame('delta', { delta: 'half' }),
      frame('run', { status: 'failed', error: 'cancelled' }),
    )
    expect(answer).toMatchObject({ phase: 'stopped', text: 'half', failure: null })
  })

  test('ignores kinds of frames it does not know', () => {
    expect(after(frame('weather', { sun: true }, 5))).toMatchObject({ phase: 'connecting', lastEventId: '5' })
  })

  test('is completed from the run record where the stream is gone', () => {
    const half = after(frame('delta', { delta: 'half' }, 1))
    const run = { status: 'completed', output: 'half and half', error: null }
    expect(withRecord(half, run, 5000)).toMatchObject({ phase: 'completed', text: 'half and half' })
    const empty = { status: 'completed', output: '', error: 'The model used up its tokens.' }
    expect(withRecord(newAnswer(0), empty, 1)).toMatchObject({
      phase: 'completed',
      failure: { message: 'The model used up its tokens.' },
    })
  })
})

test('the pace counts from the first piece to the last', () => {
  const pieces = Array.from({ length: 11 }, (_, index) => frame('delta', { delta: 'x' }, index))
  const answer = { ...add(newAnswer(0), pieces), endedAt: 2000 }
  expect(paceOf(answer, 99_999)).toEqual({ firstTokenMs: 1000, tokensPerSecond: 10 })
  expect(paceOf(newAnswer(0), 500)).toEqual({ firstTokenMs: null, tokensPerSecond: null })
})
