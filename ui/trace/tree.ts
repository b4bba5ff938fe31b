import { isNodeSpan, type Span } from './span'

/** One line of the waterfall. Times are nanoseconds since the trace began, which a double holds for 100 days. */
export interface Row {
  span: Span
  depth: number
  startNs: number
  /** Null while the span is open. */
  endNs: number | null
  parentId: string | null
  childCount: number
  collapsed: boolean
}

export interface Tree {
  rows: Row[]
  /** Epoch nanoseconds of the first start. */
  originNs: bigint
  /** The last instant that is known. */
  knownNs: number
  /** Something is still going on. */
  open: boolean
}

/** Lays the spans out as a tree: parents before children, siblings by start, what is folded left out. */
export function layOut(spans: readonly Span[], collapsed: ReadonlySet<string> = new Set()): Tree {
  if (spans.length === 0) return { rows: [], originNs: 0n, knownNs: 0, open: false }
  const originNs = earliest(spans)
  const sinceOrigin = (ns: bigint) => Number(ns - originNs)
  const { roots, children } = familyOf(spans)

  const rows: Row[] = []
  const open: { span: Span; depth: number; parentId: string | null }[] = []
  const push = (list: readonly Span[], depth: number, parentId: string | null) => {
    for (let index = list.length - 1; index >= 0; index--) open.push({ span: list[index]!, depth, parentId })
  }
  push(roots, 0, null)
  for (let next = open.pop(); next; next = open.pop()) {
    const { span, depth, parentId } = next
    const below = children.get(span.span_id) ?? []
    const folded = below.length > 0 && collapsed.has(span.id)
    rows.push({
      span,
      depth,
      parentId,
      startNs: sinceOrigin(span.start_ns),
      endNs: span.end_ns === null ? null : sinceOrigin(span.end_ns),
      childCount: below.length,
      collapsed: folded,
    })
    if (!folded) push(below, depth + 1, span.id)
  }
  return {
    rows,
    originNs,
    knownNs: spans.reduce((edge, { start_ns, end_ns }) => Math.max(edge, sinceOrigin(end_ns ?? start_ns)), 0),
    open: spans.some((span) => span.end_ns === null),
  }
}

/** How long the trace is by now; this computer's clock may be behind that of the server. */
export function lengthNs({ originNs, knownNs, open }: Tree, nowMs: number): number {
  return open ? Math.max(knownNs, Number(BigInt(Math.round(nowMs * 1000)) * 1000n - originNs)) : knownNs
}

/** Live events may arrive before their parent does; until then such a span hangs under the root. */
function familyOf(spans: readonly Span[]) {
  const known = new Set(spans.map((span) => span.span_id))
  const sorted = [...spans].sort(byStart)
  const root = sorted.find((span) => span.parent_span_id === null)
  const nodes = new Map(sorted.filter(isNodeSpan).map((span) => [span.node_id, span.span_id]))
  const roots: Span[] = []
  const children = new Map<string, Span[]>()
  for (const span of sorted) {
    const parent = nodeOfIteration(span, nodes) ?? parentOf(span, known, root)
    if (parent === null) {
      roots.push(span)
      continue
    }
    const siblings = children.get(parent)
    if (siblings) siblings.push(span)
    else children.set(parent, [span])
  }
  return { roots, children }
}

/** The iterations of a loop or a map hang under the root, beside their node; people look for them below it. */
const nodeOfIteration = (span: Span, nodes: ReadonlyMap<string | null, string>): string | null =>
  span.branch_index !== null && span.phase === null ? (nodes.get(span.node_id) ?? null) : null

function parentOf(span: Span, known: ReadonlySet<string>, root: Span | undefined): string | null {
  if (span.parent_span_id !== null && known.has(span.parent_span_id)) return span.parent_span_id
  return root && root !== span && span.parent_span_id !== null ? root.span_id : null
}

function byStart(a: Span, b: Span): number {
  if (a.start_ns !== b.start_ns) return a.start_ns < b.start_ns ? -1 : 1
  return (a.seq ?? Number.MAX_SAFE_INTEGER) - (b.seq ?? Number.MAX_SAFE_INTEGER)
}

function earliest(spans: readonly Span[]): bigint {
  let least = spans[0]!.start_ns
  // Math.min refuses what is too big for a double.
  for (const { start_ns } of spans) if (start_ns < least) least = start_ns
  return least
}

/** Where a failure began: of the failed spans the deepest, of those the first. */
export function deepestError(spans: readonly Span[]): Span | null {
  let found: Row | null = null
  for (const row of layOut(spans).rows) {
    if (row.span.status === 'err' && row.depth > (found?.depth ?? 0)) found = row
  }
  return found?.span ?? null
}
