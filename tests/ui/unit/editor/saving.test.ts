import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  DEBOUNCE_MS,
  isSaved,
  MAX_DEFER_MS,
  newAutosave,
  type SaveEvent,
  step,
} from '../../../../ui/editor/autosave'
import type { Content, StoredDraft } from '../../../../ui/editor/data'
import { type KeeperState, keeper } from '../../../../ui/editor/keeper'
import { localCopies } from '../../../../ui/editor/local-copies'
import { merge } from '../../../../ui/editor/merge'
import { joinTabs } from '../../../../ui/editor/other-tabs'
import { json } from '../../../graph/support'

/** A browser's storage of a page. */
function shelf(room = Number.POSITIVE_INFINITY) {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error('QuotaExceededError')
      items.set(key, value)
    },
  }
}

const draft = (id: string): StoredDraft => ({ id, agent_id: null, updated_at: '', ...content('old') })
const content = (name: string): Content => ({ ir: { name }, view: null })

/** A server, a clock that one moves, and a keeper between them. */
function stage(options: { draftId?: string | null; room?: number } = {}) {
  const drafts = new Map<string, Content>()
  const calls: string[] = []
  const states: KeeperState[] = []
  const made: string[] = []
  const merged: string[] = []
  let now = 0
  let timers: { time: number; run: () => void }[] = []
  let answer: 'at once' | 'held' | 'down' = 'at once'
  let release = () => {}
  const storage = shelf(options.room)
  const copies = localCopies(storage)
  const gone = new Error('gone')

  async function respond(call: string, work: () => StoredDraft): Promise<StoredDraft> {
    calls.push(`${call} at ${now}`)
    if (answer === 'down') throw new Error('unreachable')
    if (answer === 'held') await new Promise<void>((resolve) => (release = resolve))
    return work()
  }
  const stored = (id: string): StoredDraft => {
    const draft = drafts.get(id)
    if (!draft) throw gone
    return { id, agent_id: null, updated_at: JSON.stringify(draft.ir), ...draft }
  }
  if (options.draftId) drafts.set(options.draftId, content('old'))
  const kept = keeper(
    { draftId: options.draftId ?? null, agentId: null, key: 'new:tab', base: null },
    {
      create: (sent) =>
        respond(`POST ${sent.ir.name}`, () => {
          const id = `drf_${drafts.size + 1}`
          drafts.set(id, sent)
          return stored(id)
        }),
      replace: (id, sent) =>
        respond(`PUT ${id} ${sent.ir.name}`, () => {
          if (!drafts.has(id)) throw gone
          drafts.set(id, sent)
          return stored(id)
        }),
      async fetch(id) {
        if (answer !== 'down') return stored(id)
        calls.push(`GET ${id} at ${now}`)
        throw new Error('unreachable')
      },
      onMerged: (next) => merged.push(String(next.ir.name)),
      isGone: (error) => error === gone,
      now: () => now,
      at(time, run) {
        const timer = { time, run }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      },
      copies,
      onDraft: (id) => made.push(id),
      onChange: (state) => states.push(state),
    },
  )
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return {
    kept,
    calls,
    drafts,
    made,
    merged,
    copies,
    status: () => states.at(-1)?.status,
    type: (name: string) => kept.changed(content(name), null),
    server: (next: typeof answer) => {
      answer = next
      if (next === 'at once') release()
    },
    settle,
    async wait(ms: number) {
      const end = now + ms
      for (;;) {
        const next = timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0]
        if (!next) break
        timers = timers.filter((one) => one !== next)
        now = Math.max(now, next.time)
        next.run()
        await settle()
      }
      now = end
      await settle()
    },
  }
}

describe('a working copy', () => {
  test('is not sent before it changes; then once, 1.5 s after the last change, as a new draft', async () => {
    const { type, wait, calls, made, status } = stage()
    await wait(10_000)
    expect(calls).toEqual([])
    type('a')
    await wait(1_000)
    type('ab')
    await wait(1_499)
    expect(calls).toEqual([])
    expect(status()).toBe('kept')
    await wait(1)
    expect(calls).toEqual(['POST ab at 12500'])
    expect(made).toEqual(['drf_1'])
    expect(status()).toBe('saved')
  })

  test('does not wait more than 8 s, however long one types', async () => {
    const { type, wait, calls } = stage({ draftId: 'drf_1' })
    for (let second = 0; second < 10; second++) {
      type(`${second}`)
      await wait(1_000)
    }
    expect(calls).toEqual(['PUT drf_1 7 at 8000'])
  })

  test('goes by one request at a time, and what came in meanwhile follows', async () => {
    const { type, wait, server, settle, calls, drafts } = stage()
    server('held')
    type('a')
    await wait(2_000)
    type('ab')
    await wait(60_000)
    expect(calls).toEqual(['POST a at 1500'])
    server('at once')
    await settle()
    await wait(10_000)
    expect(calls).toEqual(['POST a at 1500', 'PUT drf_1 ab at 62000'])
    expect(drafts.get('drf_1')).toEqual(content('ab'))
  })

  test('whose draft was deleted becomes a new draft at once', async () => {
    const { type, wait, calls, drafts, made } = stage({ draftId: 'drf_9' })
    drafts.clear()
    type('a')
    await wait(1_500)
    expect(calls).toEqual(['POST a at 1500'])
    expect(made).toEqual(['drf_1'])
  })

  test('is kept here while the server is away, tried again, and forgotten here once it is there', async () => {
    const { type, wait, server, calls, status, copies } = stage({ draftId: 'drf_1' })
    server('down')
    type('a')
    await wait(1_500)
    expect(status()).toBe('offline')
    expect(copies.read('drf_1')?.content).toEqual(content('a'))
    await wait(20_000)
    expect(calls.length).toBeGreaterThan(2)
    server('at once')
    await wait(30_000)
    expect(status()).toBe('saved')
    expect(copies.read('drf_1')).toBeNull()
  })

  test('takes in what others saved while the server was away, instead of writing over it', async () => {
    const { kept, type, wait, server, drafts, merged } = stage({ draftId: 'drf_1' })
    kept.rebase({ ...draft('drf_1'), ir: { name: 'old', nodes: 1 } })
    server('down')
    type('mine')
    await wait(1_500)
    drafts.set('drf_1', { ir: { name: 'old', nodes: 2 }, view: null })
    server('at once')
    await wait(30_000)
    expect(merged).toEqual(['mine'])
    expect(drafts.get('drf_1')!.ir).toMatchObject({ name: 'mine' })
  })

  test('takes in what another machine saved between two saves of its own', async () => {
    const { kept, type, wait, drafts, merged } = stage({ draftId: 'drf_1' })
    kept.rebase(draft('drf_1'))
    type('mine')
    await wait(1_500)
    drafts.set('drf_1', { ir: { name: 'mine', theirs: true }, view: null })
    type('mine again')
    await wait(1_500)
    expect(merged).toEqual(['mine again'])
    expect(drafts.get('drf_1')!.ir).toEqual({ name: 'mine again', theirs: true })
  })

  test('that fits nowhere is told', async () => {
    const { type, wait, server, status } = stage({ room: 10 })
    server('down')
    type('a')
    await wait(1_500)
    expect(status()).toBe('lost')
  })

  test('goes along when the page closes, unless the server has it or there is no draft yet', async () => {
    const { kept, type, wait } = stage({ draftId: 'drf_1' })
    expect(kept.parting()).toBeNull()
    type('a')
    expect(kept.parting()).toEqual({ id: 'drf_1', content: content('a') })
    await wait(1_500)
    expect(kept.parting()).toBeNull()
    const fresh = stage()
    fresh.type('a')
    expect(fresh.kept.parting()).toBeNull()
    expect(fresh.copies.read('new:tab')?.content).toEqual(content('a'))
  })

  test('that was published is saved no more', async () => {
    const { kept, type, wait, calls, copies } = stage({ draftId: 'drf_1' })
    type('a')
    kept.stop(true)
    type('ab')
    await wait(60_000)
    expect(calls).toEqual([])
    expect(copies.read('drf_1')).toBeNull()
  })

  test('half-typed code stays here until it is a document', async () => {
    const { kept, wait, copies, status } = stage({ draftId: 'drf_1' })
    kept.changed(content('a'), '{"na')
    await wait(10_000)
    expect(status()).toBe('kept')
    expect(copies.read('drf_1')?.text).toBe('{"na')
  })
})

/** The decisions alone, with a server that answers when it is told to. */
function imaginedSaver() {
  let state = newAutosave('drf_1')
  let at = 0
  let pending = false
  let sent = 0
  const hear = (event: SaveEvent) => {
    const { state: next, action } = step(state, event)
    state = next
    if (action.do !== 'send') return
    expect(pending).toBe(false)
    pending = true
    sent++
  }
  return {
    hear,
    at: () => at,
    end: () => ({ state, sent }),
    /** Time passes in small steps, as timers would have it. */
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 250) {
        at += 250
        hear({ type: 'tick', at })
        const isFree = state.sending === null && state.failures === 0
        if (isFree && state.since !== null) expect(at - state.since).toBeLessThanOrEqual(MAX_DEFER_MS)
      }
    },
    answer(what: 'answered' | 'refused' | 'gone') {
      if (!pending) return
      pending = false
      if (what === 'answered') hear({ type: 'saved', at, draftId: 'drf_1' })
      else hear({ type: 'failed', at, error: null, gone: what === 'gone' })
    },
  }
}

test('whatever happens and in whatever order: one request at a time, no change waits too long, the newest arrives', () => {
  const happening = fc.oneof(
    fc.record({ what: fc.constant('change' as const), after: fc.nat(3_000) }),
    fc.record({
      what: fc.constantFrom('answered' as const, 'refused' as const, 'gone' as const),
      after: fc.nat(12_000),
    }),
  )
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      const saver = imaginedSaver()
      for (const { what, after } of happenings) {
        saver.pass(after)
        if (what === 'change') saver.hear({ type: 'changed', at: saver.at() })
        else saver.answer(what)
      }
      for (let round = 0; round < 10; round++) {
        saver.answer('answered')
        saver.pass(31_000)
      }
      saver.answer('answered')
      const { state, sent } = saver.end()
      expect(isSaved(state)).toBe(true)
      expect(sent > 0).toBe(state.changed > 0)
    }),
    { numRuns: 300 },
  )
  expect(DEBOUNCE_MS).toBe(1_500)
})

describe('copies in this browser', () => {
  test('the oldest goes where there are too many', () => {
    const copies = localCopies(shelf())
    const copy = { content: content('a'), text: null, base: null, agentId: null }
    for (let index = 0; index < 30; index++) copies.keep(`drf_${index}`, { ...copy, at: index })
    expect(copies.read('drf_0')).toBeNull()
    expect(copies.read('drf_29')).not.toBeNull()
  })

  test('what another tab never got to the server is offered; what is open here is not', () => {
    const copies = localCopies(shelf())
    const copy = { content: content('a'), text: null, base: null, agentId: null, at: 1 }
    copies.keep('new:here', copy)
    copies.keep('new:there', copy)
    copies.keep('drf_1', copy)
    expect(copies.strays('new:here').map(({ key }) => key)).toEqual(['new:there'])
  })
})

describe('two sides of a document', () => {
  const node = (id: string, label: string) => ({ id, label })

  test('come together where they changed different things', () => {
    const base = { name: 'A', nodes: [node('1', 'one'), node('2', 'two')] }
    const mine = { name: 'A', nodes: [node('1', 'ONE'), node('2', 'two'), node('3', 'mine')] }
    const theirs = { name: 'B', nodes: [node('2', 'two'), node('4', 'theirs'), node('1', 'one')] }
    expect(merge(base, mine, theirs)).toEqual({
      value: {
        name: 'B',
        nodes: [node('2', 'two'), node('4', 'theirs'), node('1', 'ONE'), node('3', 'mine')],
      },
      conflicts: [],
    })
  })

  test('what one deleted and the other left alone is gone; what both changed is mine, and told', () => {
    const base = { nodes: [node('1', 'one'), node('2', 'two')] }
    const mine = { nodes: [node('1', 'mine'), node('2', 'two')] }
    const theirs = { nodes: [node('1', 'theirs')] }
    expect(merge(base, mine, theirs)).toEqual({
      value: { nodes: [node('1', 'mine')] },
      conflicts: ['/nodes/#1/label'],
    })
  })

  test('where only one side changed, it is that side', () => {
    fc.assert(
      fc.property(json(), json(), (base, changed) => {
        expect(merge(base, changed, base)).toEqual({ value: changed, conflicts: [] })
        expect(merge(base, base, changed)).toEqual({ value: changed, conflicts: [] })
        expect(merge(base, changed, changed)).toEqual({ value: changed, conflicts: [] })
      }),
    )
  })
})

test('tabs with the same draft know of each other, of saves and of leaving; those with another draft do not', () => {
  const channels: {
    onmessage: ((event: MessageEvent) => void) | null
    postMessage(data: unknown): void
    close(): void
  }[] = []
  const channel = () => {
    const mine = {
      onmessage: null as ((event: MessageEvent) => void) | null,
      postMessage(data: unknown) {
        for (const other of channels) if (other !== mine) other.onmessage?.({ data } as MessageEvent)
      },
      close: () => void channels.splice(channels.indexOf(mine), 1),
    }
    channels.push(mine)
    return mine
  }
  const heard: string[] = []
  const listener = (tab: string) => ({
    onOthers: (count: number) => void heard.push(`${tab}: ${count}`),
    onSaved: () => void heard.push(`${tab}: saved`),
  })
  const a = joinTabs(channel(), 'a', 'drf_1', listener('a'))
  joinTabs(channel(), 'x', 'drf_2', listener('x'))
  const b = joinTabs(channel(), 'b', 'drf_1', listener('b'))
  expect(heard).toEqual(['b: 1', 'a: 1'])
  a.saved()
  b.leave()
  expect(heard.slice(2)).toEqual(['b: saved', 'a: 0'])
})
