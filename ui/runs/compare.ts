import { texts } from '../texts/runs'
import type { Span } from '../trace/span'

/** One step of two runs of the same agent: what it took in each; null where a run has no such step, or not its end. */
export interface StepPair {
  /** `<node>[:<phase>][:#<branch>]`: a span's id without its run. */
  key: string
  name: string
  depth: number
  a: Side | null
  b: Side | null
}

export interface Side {
  spanId: string
  status: Span['status']
  durationNs: number | null
}

interface Line {
  span: Span
  depth: number
}

/** The steps of both runs, in the order of the first; steps that only the second has follow their predecessor there. */
export function pairSteps(runA: string, a: readonly Line[], runB: string, b: readonly Line[]): StepPair[] {
  const sides = (runId: string, lines: readonly Line[]) =>
    new Map(lines.map((line) => [keyOf(runId, line.span), line]))
  const [ofA, ofB] = [sides(runA, a), sides(runB, b)]
  return merged([...ofA.keys()], [...ofB.keys()]).map((key) => {
    const { span, depth } = (ofA.get(key) ?? ofB.get(key))!
    const name = span.parent_span_id === null ? texts.compare.wholeRun : span.name
    return { key, name, depth, a: sideOf(ofA.get(key)), b: sideOf(ofB.get(key)) }
  })
}

const keyOf = (runId: string, { id }: Span) => (id.startsWith(`${runId}:`) ? id.slice(runId.length + 1) : id)

function sideOf(line: Line | undefined): Side | null {
  if (!line) return null
  const { id, status, start_ns, end_ns } = line.span
  const timed = end_ns !== null && status !== 'skipped'
  return { spanId: id, status, durationNs: timed ? Number(end_ns - start_ns) : null }
}

function merged(first: readonly string[], second: readonly string[]): string[] {
  const known = new Set(first)
  const after = new Map<string | null, string[]>()
  let anchor: string | null = null
  for (const key of second) {
    if (known.has(key)) anchor = key
    else after.set(anchor, [...(after.get(anchor) ?? []), key])
  }
  return [...(after.get(null) ?? []), ...first.flatMap((key) => [key, ...(after.get(key) ?? [])])]
}
