import { expect, test } from 'bun:test'
import { ended, figuresOf, newTrial, type Trial, withChunk } from '../../../ui/registries/trial/chat-trial'

const delta = (delta: object, more: object = {}) => JSON.stringify({ choices: [{ delta }], ...more })
/** One chunk every 100 ms from 500 on; asked at 0. */
const after = (...chunks: string[]): Trial =>
  chunks.reduce((trial, chunk, index) => withChunk(trial, chunk, 500 + index * 100), newTrial(0))

test('the answer grows, thinking apart, until it is done', () => {
  const trial = after(
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning_content: 'Hm.' }),
    delta({ content: 'Hello' }),
    JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
    '[DONE]',
  )
  expect(trial).toMatchObject({ phase: 'done', text: 'Hello', reasoning: 'Hm.', finishReason: 'stop' })
})

test('the first token is the first piece with text in it', () => {
  const trial = after(delta({ role: 'assistant', content: '' }), delta({ content: 'Hi' }))
  expect(figuresOf(trial, 9999).firstTokenMs).toBe(600)
})

test('the provider’s own count is what the speed is made of', () => {
  const usage = JSON.stringify({ choices: [], usage: { completion_tokens: 21 } })
  const trial = after(
    delta({ content: 'a' }),
    delta({ content: 'b' }),
    delta({ content: 'c' }),
    usage,
    '[DONE]',
  )
  // 20 tokens after the first, within 200 ms: the chunk with the count is none of them.
  expect(figuresOf(trial, 9999)).toEqual({
    firstTokenMs: 500,
    tokens: 21,
    counted: false,
    tokensPerSecond: 100,
  })
})

test('without a count, one piece stands for one token', () => {
  const trial = after(delta({ content: 'a' }), delta({ content: 'b' }), delta({ content: 'c' }), '[DONE]')
  expect(figuresOf(trial, 9999)).toEqual({ firstTokenMs: 500, tokens: 3, counted: true, tokensPerSecond: 10 })
})

test('a failure in mid-stream keeps what came', () => {
  const trial = after(
    delta({ content: 'Half' }),
    JSON.stringify({ error: { message: 'gone', type: 'server_error', code: 'upstream_error' } }),
  )
  expect(trial).toMatchObject({
    phase: 'failed',
    text: 'Half',
    failure: { code: 'upstream_error', message: 'gone' },
  })
})

test('stopped stays stopped', () => {
  expect(ended(after(delta({ content: 'Half' })), 'stopped', 900)).toMatchObject({
    phase: 'stopped',
    text: 'Half',
  })
})
