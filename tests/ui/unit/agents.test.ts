import { describe, expect, test } from 'bun:test'
import type { AgentSummary } from '../../../src/control/agents/schema'
import { arranged, needsAll } from '../../../ui/agents/browse'
import { openDocument } from '../../../ui/canvas/open'
import { outlineOf } from '../../../ui/canvas/outline'
import { viewBoxOf } from '../../../ui/canvas/outline-view'
import { document, edge, node } from '../../graph/support'

const agent = (name: string, updated_at: string) =>
  ({ id: `agent.${name}`, name, updated_at }) as AgentSummary
const agents = [agent('Echo 10', '2026-02-01'), agent('echo 9', '2026-03-01'), agent('Desk', '2026-01-01')]
const names = (found: AgentSummary[]) => found.map(({ name }) => name)

describe('agents', () => {
  test('stay as the server has them, or come by name as people count, or by their last change', () => {
    expect(names(arranged(agents, { text: '', order: 'newest' }))).toEqual(['Echo 10', 'echo 9', 'Desk'])
    expect(names(arranged(agents, { text: '', order: 'name' }))).toEqual(['Desk', 'echo 9', 'Echo 10'])
    expect(names(arranged(agents, { text: '', order: 'changed' }))).toEqual(['echo 9', 'Echo 10', 'Desk'])
    expect(names(arranged(agents, { text: ' ECHO ', order: 'changed' }))).toEqual(['echo 9', 'Echo 10'])
  })

  test('are all fetched only where the answer depends on all', () => {
    expect(needsAll({ text: ' ', order: 'newest' })).toBe(false)
    expect(needsAll({ text: 'a', order: 'newest' })).toBe(true)
    expect(needsAll({ text: '', order: 'name' })).toBe(true)
  })
})

describe('a graph from afar', () => {
  const opened = (nodes: object[], edges: object[] = []) => openDocument(document(nodes, edges)).document!

  test('has a box for every step, models apart, and a curve for every wire that has two ends', () => {
    const outline = outlineOf(
      opened(
        [node('a', 'input'), node('b', 'llm'), node('c', 'output')],
        [edge('a.out', 'b.in'), edge('b.out', 'c.in'), edge('b.out', 'nowhere.in')],
      ),
    )
    const count = (path: string) => path.split('M').length - 1
    expect([outline.steps, outline.models, outline.wires].map(count)).toEqual([2, 1, 2])
  })

  test('of nothing, and of one step, is shown as a part of a canvas', () => {
    expect(viewBoxOf(outlineOf(opened([])))).toMatch(/900 300$/)
    expect(viewBoxOf(outlineOf(opened([node('a', 'input')])))).toMatch(/900 300$/)
  })
})
