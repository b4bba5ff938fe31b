import { describe, expect, test } from 'bun:test'
import { newAnswer } from '../../../ui/chat/answer'
import { forget, keep, kept, type Shelf, type Unfinished } from '../../../ui/chat/unfinished'

function shelf(roomFor = Number.POSITIVE_INFINITY): Shelf {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem(key, value) {
      if (value.length > roomFor) throw new DOMException('full', 'QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key) => void values.delete(key),
  }
}

const turn = (answer: Partial<Unfinished['answer']>, more: Partial<Unfinished> = {}): Unfinished => ({
  sessionId: 's1',
  model: 'm',
  input: 'Why?',
  answer: { ...newAnswer(5), phase: 'answering', runId: 'r1', ...answer },
  ...more,
})

describe('the turn that a reload would lose', () => {
  test('comes back as it was, text and position together', () => {
    const here = shelf()
    keep(here, turn({ text: 'Because', lastEventId: '7' }))
    expect(kept(here, 's1')).toEqual(turn({ text: 'Because', lastEventId: '7' }))
    expect(kept(here, 'another')).toBeNull()
    forget(here, 's1')
    expect(kept(here, 's1')).toBeNull()
  })

  test('is heard from its beginning again when the browser has no room for its text', () => {
    const here = shelf(1000)
    keep(here, turn({ text: 'long '.repeat(1000), lastEventId: '900' }))
    expect(kept(here, 's1')?.answer).toMatchObject({ runId: 'r1', text: '', lastEventId: null })
  })

  test('leaves no older state behind when there is no room at all', () => {
    const here = shelf(1000)
    keep(here, turn({ text: 'short', lastEventId: '1' }))
    keep(here, turn({}, { input: { text: 'x'.repeat(5000), image: '' } }))
    expect(kept(here, 's1')).toBeNull()
  })

  test('is nothing to take up before the server named the run', () => {
    const here = shelf()
    keep(here, turn({ runId: null, phase: 'connecting' }))
    expect(kept(here, 's1')).toBeNull()
  })

  test('is ignored when it is not ours', () => {
    const here = shelf()
    here.setItem('tycho.chat.s1', 'not json')
    expect(kept(here, 's1')).toBeNull()
  })
})
