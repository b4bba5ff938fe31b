import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalJson } from '#graph/hash'
import type { AgentDocument } from '#graph/ir'
import { validate } from '#graph/validate'
import { idFor, nextVersion, setName } from '../../../../ui/canvas/edit/about'
import { declareModel, dropModel } from '../../../../ui/canvas/edit/bindings'
import { copyText, duplicate, paste, readFragment } from '../../../../ui/canvas/edit/clipboard'
import { connect, insertOnEdge, refusal, removeEdges } from '../../../../ui/canvas/edit/edges'
import { fitting, takeUp } from '../../../../ui/canvas/edit/fits'
import { addAfter } from '../../../../ui/canvas/edit/follow'
import { removeNodes, renameNode, setConfig, setLabel } from '../../../../ui/canvas/edit/nodes'
import { addPort, removePort, renamePort } from '../../../../ui/canvas/edit/ports'
import { type ListedModel, OFFERED, startNode } from '../../../../ui/canvas/edit/starters'
import { openDocument } from '../../../../ui/canvas/open'
import { entryOf } from '../../../../ui/canvas/view'
import { begin, record, redo, undo } from '../../../../ui/editor/history'
import { firstAgent } from '../../../../ui/editor/template'
import { drawable, small } from './documents'

const MODELS: ListedModel[] = [
  { logicalId: 'acme/Whisper', modality: 'audio.transcription', binding: 'llamacpp' },
  { logicalId: 'qwen3:8b', modality: 'chat', binding: 'llamacpp' },
]
const codes = (document: AgentDocument) => validate(document).map(({ code }) => code)

type Edit = (document: AgentDocument) => AgentDocument
const nth = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

/** Every edit there is, aimed anywhere. */
const anyEdit: fc.Arbitrary<Edit> = fc
  .record({
    what: fc.nat({ max: 13 }),
    at: fc.nat(),
    to: fc.nat(),
    text: fc.constantFrom('', 'a', 'new', '__proto__'),
  })
  .map(({ what, at, to, text }): Edit => {
    const edits: ((document: AgentDocument, id: string) => AgentDocument)[] = [
      (document) => startNode(document, nth(OFFERED, at)!, { x: at % 90, y: to % 90 }, MODELS).document,
      (document, id) => removeNodes(document, new Set([id])),
      (document, id) => setLabel(document, id, text),
      (document, id) => setConfig(document, id, { [text]: to }),
      (document, id) => renameNode(document, id, text),
      (document, id) => addPort(document, id, at % 2 ? 'in' : 'out'),
      (document, id) => renamePort(document, id, at % 2 ? 'in' : 'out', 'in', text),
      (document, id) => removePort(document, id, at % 2 ? 'in' : 'out', 'out'),
      (document) => removeEdges(document, new Set([to % 3])),
      (document) => duplicate(document, new Set(document.nodes.slice(0, 2).map(({ id }) => id))).document,
      (document) => insertOnEdge(document, to % 3, nth(document.nodes, at)?.id ?? ''),
      (document, id) => {
        const target = nth(document.nodes, to)
        const source = document.nodes.find((node) => node.id === id)
        return connect(document, {
          source: id,
          sourceHandle: nth(source?.ports.out ?? [], at)?.id ?? '',
          target: target?.id ?? '',
          targetHandle: nth(target?.ports.in ?? [], at)?.id ?? '',
        })
      },
      (document) => setName(document, text, true),
      (document) => {
        const node = nth(document.nodes, at)
        return node ? addAfter(document, node, nth(OFFERED, to)!, MODELS).document : document
      },
    ]
    return (document) => edits[what]!(document, nth(document.nodes, at)?.id ?? '')
  })

describe('any edits, in any order', () => {
  test('leave a document that can be read again, as itself', () => {
    fc.assert(
      fc.property(drawable, fc.array(anyEdit, { maxLength: 12 }), (start, edits) => {
        const end = edits.reduce((document, edit) => edit(document), start)
        const again = openDocument(JSON.parse(JSON.stringify(end)))
        expect(again.problems).toEqual([])
        expect(canonicalJson(again.document)).toBe(canonicalJson(end))
      }),
      { numRuns: 200 },
    )
  })

  test('can be undone to the very document they began with, and done again', () => {
    fc.assert(
      fc.property(drawable, fc.array(anyEdit, { maxLength: 12 }), (start, edits) => {
        const before = canonicalJson(start)
        let history = begin(start)
        for (const [at, edit] of edits.entries()) history = record(history, edit(history.present), null, at)
        const end = history.present
        const steps = history.past.length
        for (let step = 0; step < steps; step++) history = undo(history)
        expect(history.present).toBe(start)
        expect(canonicalJson(history.present)).toBe(before)
        for (let step = 0; step < steps; step++) history = redo(history)
        expect(history.present).toBe(end)
      }),
      { numRuns: 200 },
    )
  })
})

describe('undo', () => {
  test('takes typing into one field as one step, until there is a pause or another field', () => {
    let history = begin('')
    for (const [at, text] of ['h', 'he', 'hel'].entries())
      history = record(history, text, 'a.label', at * 200)
    history = record(history, 'help', 'a.label', 5_000)
    history = record(history, 'help!', 'b.label', 5_100)
    const seen: string[] = []
    while (history.past.length > 0) {
      history = undo(history)
      seen.push(history.present)
    }
    expect(seen).toEqual(['help', 'hel', ''])
  })

  test('after an undo, typing goes on as a new step', () => {
    let history = record(record(begin('a'), 'ab', 'f', 0), 'abc', 'f', 100)
    history = undo(history)
    history = record(history, 'ax', 'f', 200)
    expect(undo(history).present).toBe('a')
    expect(redo(history).present).toBe('ax')
  })
})

describe('wires', () => {
  const wire = (from: string, to: string) => {
    const [source, sourceHandle] = from.split('.') as [string, string]
    const [target, targetHandle] = to.split('.') as [string, string]
    return { source, sourceHandle, target, targetHandle }
  }

  test.each([
    ['an input that is fed already', 'ask.out', 'end.in', /fed already/],
    ['a circle', 'think.out', 'think.in', /itself/],
    ['a longer circle', 'end.x', 'ask.y', /leads from an output/],
    ['what is no tool, offered to a model', 'ask.out', 'think.tools', /Only a Tool/],
    ['a tool, offered from its output', 'fetch.out', 'think.tools', /“use” port/],
    ['a tool, offered to no model', 'fetch.use', 'way.in', /“tools” port/],
  ])('refuse %s, and say why', (_, from, to, reason) => {
    const document = small()
    expect(refusal(document, wire(from, to))).toMatch(reason)
    expect(connect(document, wire(from, to))).toBe(document)
  })

  test('refuse a circle over several nodes', () => {
    const document = connect(small(), wire('way.out', 'fetch.in'))
    expect(refusal(document, wire('fetch.out', 'way.in'))).toMatch(/circle/)
  })

  test('a step is not offered as a tool, and a tool does not become a step', () => {
    const step = connect(small(), wire('ask.out', 'fetch.in'))
    expect(refusal(step, wire('fetch.use', 'think.tools'))).toMatch(/step already/)
    const tool = connect(small(), wire('fetch.use', 'think.tools'))
    expect(refusal(tool, wire('ask.out', 'fetch.in'))).toMatch(/offered to a model/)
  })

  test('have the channel of what they connect', () => {
    const tool = connect(small(), wire('fetch.use', 'think.tools'))
    expect(tool.edges.at(-1)!.channel).toBe('tool')
    expect(connect(small(), wire('ask.out', 'way.in')).edges.at(-1)!.channel).toBe('data')
  })

  test('what the editor lets one draw, the server never refuses for its wires', () => {
    const about = new Set([
      'port_taken',
      'invalid_tool_edge',
      'tool_port_misused',
      'capability_and_step',
      'cycle',
      'unknown_handle',
      'unknown_node',
    ])
    const targets = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), {
      minLength: 1,
      maxLength: 25,
    })
    fc.assert(
      fc.property(targets, (draws) => {
        let document = small()
        for (const [from, out, to, into] of draws) {
          const source = nth(document.nodes, from)!
          const target = nth(document.nodes, to)!
          document = connect(document, {
            source: source.id,
            sourceHandle: nth(source.ports.out, out)?.id ?? '',
            target: target.id,
            targetHandle: nth(target.ports.in, into)?.id ?? '',
          })
        }
        expect(codes(document).filter((code) => about.has(code))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('a node that is put on a wire is fed by its start, and feeds its end', () => {
    const made = startNode(small(), 'guardrail', { x: 0, y: 0 }, MODELS)
    const document = insertOnEdge(made.document, 0, made.id)
    const ways = document.edges.map(
      (one) => `${one.source}.${one.sourceHandle}>${one.target}.${one.targetHandle}`,
    )
    expect(ways).toEqual(['think.out>end.in', 'ask.out>guardrail.in', 'guardrail.pass>think.in'])
  })

  test('a wire that is let go offers what could take it up, and wires what is chosen', () => {
    const document = small()
    const out = { node: 'way', port: 'out', from: 'out' as const }
    expect(fitting(document, out)).toContain('llm')
    expect(fitting(document, out)).not.toContain('input')
    expect(fitting(document, { node: 'think', port: 'tools', from: 'in' })).toEqual([
      'tool',
      'mcp_tool',
      'rag',
    ])
    expect(fitting(document, { node: 'fetch', port: 'use', from: 'out' })).toEqual(['llm'])
    const made = startNode(document, 'rag', { x: 0, y: 0 }, MODELS)
    const taken = takeUp(made.document, { node: 'think', port: 'tools', from: 'in' }, made.id)
    expect(taken.edges.at(-1)).toMatchObject({
      source: 'rag',
      sourceHandle: 'use',
      target: 'think',
      channel: 'tool',
    })
  })
})

describe('nodes', () => {
  test('a first agent has no problems as soon as there is a model, and names what is missing before', () => {
    expect(codes(firstAgent(MODELS))).toEqual([])
    expect(firstAgent(MODELS).models).toEqual({
      qwen3_8b: { binding: 'llamacpp', model: 'qwen3:8b', source: null, params: {} },
    })
    expect(validate(firstAgent([])).map(({ node_id }) => node_id)).toEqual(['llm'])
  })

  test('every type of the palette makes a node that only lacks what its author must say', () => {
    for (const type of OFFERED) {
      const { document } = startNode(small(), type, { x: 0, y: 0 }, MODELS)
      const asked = codes(document).filter((code) => code !== 'port_not_fed')
      const open = ['mcp_tool', 'rag', 'subgraph', 'loop', 'map', 'speak', 'imagine'].includes(type)
      expect({ type, asked: asked.length > 0 }).toEqual({ type, asked: open })
    }
  })

  test('a node that follows another goes into its chain, and what came next moves on', () => {
    const start = firstAgent(MODELS)
    const { document, id } = addAfter(start, start.nodes[1]!, 'guardrail', MODELS)
    const ways = document.edges.map(({ source, target }) => `${source}>${target}`)
    expect(ways).toEqual(['input>llm', 'llm>guardrail', 'guardrail>output'])
    const at = (node: string) => (entryOf(document, node) as { position: { x: number } }).position.x
    expect(at(id)).toBe(660)
    expect(at('output')).toBe(990)
  })

  test('a tool that follows a model is offered to it; what ends a chain is wired to its end', () => {
    const start = firstAgent(MODELS)
    const tool = addAfter(start, start.nodes[1]!, 'tool', MODELS).document
    expect(tool.edges.at(-1)).toMatchObject({
      source: 'tool',
      sourceHandle: 'use',
      target: 'llm',
      channel: 'tool',
    })
    expect(codes(tool)).toEqual([])
    const end = addAfter(start, start.nodes[1]!, 'output', MODELS).document
    expect(end.edges.at(-1)).toMatchObject({ source: 'llm', target: 'output_2' })
    expect(end.edges).toHaveLength(3)
  })

  test('a new id is found in wires and layout too', () => {
    const placed = startNode(small(), 'transform', { x: 5, y: 6 }, MODELS)
    const document = renameNode(renameNode(placed.document, 'think', 'ponder'), placed.id, 'shape')
    expect(document.edges.map(({ source, target }) => [source, target])).toEqual([
      ['ask', 'ponder'],
      ['ponder', 'end'],
    ])
    expect(entryOf(document, 'shape')).toEqual({ position: { x: 5, y: 6 } })
    expect(renameNode(document, 'ponder', 'ask')).toBe(document)
  })

  test('a guardrail has the kind of who checks', () => {
    const { document, id } = startNode(small(), 'guardrail', { x: 0, y: 0 }, MODELS)
    const byModel = { check: { type: 'model', model: { model: 'small', prompt: 'Fine?' } } }
    expect(setConfig(document, id, byModel).nodes.at(-1)!.kind).toBe('activity')
  })

  test('a branch that is renamed keeps its wires; one that is removed takes them along', () => {
    const document = connect(small(), {
      source: 'way',
      sourceHandle: 'out',
      target: 'fetch',
      targetHandle: 'in',
    })
    const renamed = renamePort(document, 'way', 'out', 'out', 'urgent')
    expect(renamed.edges.at(-1)!.sourceHandle).toBe('urgent')
    expect(removePort(renamed, 'way', 'out', 'urgent').edges).toHaveLength(2)
  })

  test('a model is declared once, and goes when nothing names it', () => {
    const once = declareModel(small(), { logicalId: 'qwen3:8b', binding: 'llamacpp' })
    const twice = declareModel(once.document, { logicalId: 'qwen3:8b', binding: 'llamacpp' })
    expect(twice).toEqual({ document: once.document, key: 'qwen3_8b' })
    expect(Object.keys(dropModel(once.document, 'qwen3_8b').models)).toEqual(['small'])
    expect(dropModel(once.document, 'small')).toBe(once.document)
  })
})

describe('the clipboard', () => {
  test('brings nodes, the wires between them and their models into another graph, under new ids', () => {
    const text = copyText(small(), new Set(['ask', 'think']))
    const fragment = readFragment(text)!
    const { document, ids } = paste(firstAgent(MODELS), fragment)
    expect([...ids]).toEqual(['ask', 'think'])
    const again = paste(document, fragment)
    expect([...again.ids]).toEqual(['ask_2', 'think_2'])
    expect(again.document.edges.slice(-2).map(({ source, target }) => `${source}>${target}`)).toEqual([
      'ask>think',
      'ask_2>think_2',
    ])
    expect(Object.keys(again.document.models).sort()).toEqual(['qwen3_8b', 'small'])
    expect(codes(again.document)).toEqual([])
  })

  test('keeps what a key means: one that is taken by another model gets another name', () => {
    const other = { ...small(), models: { small: { ...small().models.small!, model: 'another' } } }
    const { document } = paste(small(), readFragment(copyText(other, new Set(['think'])))!)
    expect(document.nodes.at(-1)!.config.model).toBe('small_2')
    expect([document.models.small!.model, document.models.small_2!.model]).toEqual(['small-chat', 'another'])
  })

  test('takes a whole agent document too', () => {
    expect(readFragment(JSON.stringify(small()))!.nodes).toHaveLength(5)
  })

  test.each(['', 'Hello', '[1]', '{"nodes": []}', '{"nodes": [{"id": 1}]}', '{"nodes": {}}'])(
    'leaves %j alone',
    (text) => {
      expect(readFragment(text)).toBeNull()
    },
  )

  test('what was copied from any document is read again', () => {
    fc.assert(
      fc.property(drawable, (document) => {
        fc.pre(document.nodes.length > 0)
        const ids = new Set(document.nodes.map(({ id }) => id))
        // JSON has no -0.
        const nodes = JSON.parse(JSON.stringify(document.nodes))
        expect(readFragment(copyText(document, ids))?.nodes).toEqual(nodes)
      }),
      { numRuns: 100 },
    )
  })
})

describe('names', () => {
  test('an id follows the name of an agent that is not published', () => {
    expect(idFor('Ticket Röuter 2', 'agent.x')).toBe('agent.ticket-router-2')
    expect(idFor('日本', 'agent.x')).toBe('agent.x')
    expect(setName(small(), 'Other', false).id).toBe('agent.test')
  })

  test.each([
    [[], '1.0.0'],
    [['1.0.0'], '1.1.0'],
    [['1.4.2', '1.5.0'], '1.6.0'],
    [['first'], 'first-2'],
    [['2.0'], '2.1.0'],
  ])('after %j comes %s', (published, next) => {
    expect(nextVersion(published)).toBe(next)
  })
})
