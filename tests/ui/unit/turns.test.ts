import { expect, test } from 'bun:test'
import { newAnswer } from '../../../ui/chat/answer'
import { inputOf } from '../../../ui/chat/input'
import { type LiveTurn, positionOf, type StoredMessage, turnsOf } from '../../../ui/chat/turns'

const message = (position: number, role: string, content: string, run_id: string | null): StoredMessage => ({
  id: `m${position}`,
  run_id,
  role,
  content,
  position,
})

const stored = [
  message(0, 'user', 'One?', 'r1'),
  message(1, 'assistant', 'First.', 'r1'),
  message(2, 'user', '{"text":"Two?","image":"data:image/png;base64,AA=="}', 'r2'),
  message(3, 'assistant', 'Second.', 'r2'),
]

const live = (runId: string | null): LiveTurn => ({
  kind: 'live',
  key: 'k',
  input: 'Two?',
  model: 'm',
  reconnecting: false,
  answer: { ...newAnswer(0), runId },
})

test('messages pair up into turns, with images back as images', () => {
  expect(turnsOf(stored, [])).toEqual([
    { kind: 'stored', key: 'm0', input: 'One?', text: 'First.', runId: 'r1', position: 0 },
    {
      kind: 'stored',
      key: 'm2',
      input: { text: 'Two?', image: 'data:image/png;base64,AA==' },
      text: 'Second.',
      runId: 'r2',
      position: 2,
    },
  ])
})

test('a turn asked on this page is shown once, though the session stored it meanwhile', () => {
  expect(turnsOf(stored, [live('r2')]).map(({ key }) => key)).toEqual(['m0', 'k'])
  expect(turnsOf(stored, [live(null)]).map(({ key }) => key)).toEqual(['m0', 'm2', 'k'])
})

test('a turn is taken back from its first message on, wherever it was asked', () => {
  const turns = turnsOf(stored, [live('r2')])
  expect(positionOf(turns, 0, stored)).toBe(0)
  expect(positionOf(turns, 1, stored)).toBe(2)
  // What failed is in no session.
  expect(positionOf([...turns, live(null)], 2, stored)).toBeNull()
})

test('a turn without a run is shown once, too', () => {
  const turn = live(null)
  const direct = { ...turn, answer: { ...turn.answer, messageId: 'm2' } }
  const without = stored.map((message) => ({ ...message, run_id: null }))
  expect(turnsOf(without, [direct]).map(({ key }) => key)).toEqual(['m0', 'k'])
  expect(positionOf(turnsOf(without, [direct]), 1, without)).toBe(2)
})

test('a file is a file again', () => {
  const file = { ref: 'art_01ARZ3NDEKTSV4RRFFQ69G5FAV', contentType: 'audio/wav' }
  expect(inputOf(JSON.stringify(file))).toEqual(file)
  expect(inputOf(JSON.stringify({ ...file, more: 1 }))).toBe(JSON.stringify({ ...file, more: 1 }))
})

test.each([
  ['plain text', 'Hello'],
  ['JSON that a person typed', '{"text":"a","image":"b","more":1}'],
  ['text that begins like JSON', '{ not json'],
])('%s stays text', (_name, content) => {
  expect(inputOf(content)).toBe(content)
})
