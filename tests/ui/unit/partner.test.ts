import { describe, expect, test } from 'bun:test'
import { agentInput, partnerIn, withPartner } from '../../../ui/chat/partner'

describe('who a chat is with', () => {
  test('a session remembers one of both, the last', () => {
    const withModel = withPartner({ title: 'T' }, { kind: 'model', id: 'sky' })
    const withAgent = withPartner(withModel, { kind: 'agent', id: 'agent.a' })
    expect(withModel).toEqual({ title: 'T', kind: 'model', model: 'sky' })
    expect(withAgent).toEqual({ title: 'T', kind: 'agent', agent: 'agent.a' })
    expect(partnerIn(withModel)).toEqual({ kind: 'model', id: 'sky' })
    expect(partnerIn(withAgent)).toEqual({ kind: 'agent', id: 'agent.a' })
    expect(partnerIn(null)).toBeNull()
  })

  test.each([
    ['plain text', 'Hello', 'Hello'],
    ['an object', ' {"a": 1}', { a: 1 }],
    ['a list', '[1]', [1]],
    ['text that begins like JSON', '{curly', '{curly'],
    ['a number', '12', '12'],
    ['a picture', { text: 'Look', image: 'data:,' }, { text: 'Look', image: 'data:,' }],
  ])('an agent is given %s', (_name, typed, given) => {
    expect(agentInput(typed)).toEqual(given)
  })
})
