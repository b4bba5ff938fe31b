import { useNavigate, useSearch } from '@tanstack/react-router'
import { Equal, GitCompareArrows } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Difference } from '../../src/control/agents/diff'
import type { Agent } from '../../src/control/agents/schema'
import { Badge } from '../kit/badge'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { Select } from '../kit/select'
import { type Diff, useDiff } from './data'

/** What changed from one version to another; at first the last two. */
export function ComparePane({ agent: { id, versions } }: { agent: Agent }) {
  const search = useSearch({ from: '/agents/$id' })
  const navigate = useNavigate()
  const [newest, previous] = versions
  if (!previous) {
    return (
      <EmptyState icon={<GitCompareArrows aria-hidden />} title="Nothing to compare yet">
        There is one version. As soon as there is another, its differences show up here.
      </EmptyState>
    )
  }
  const a = search.a ?? previous.version
  const b = search.b ?? newest!.version
  const choose = (next: { a: string; b: string }) =>
    void navigate({
      to: '/agents/$id',
      params: { id },
      search: { tab: 'compare', ...next },
      replace: true,
      resetScroll: false,
    })
  const options = versions.map(({ version }) => ({ value: version, label: version }))
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid gap-3 sm:max-w-md sm:grid-cols-2">
        <Field label="From">
          <Select value={a} onChange={(next) => choose({ a: next, b })} options={options} />
        </Field>
        <Field label="To">
          <Select value={b} onChange={(next) => choose({ a, b: next })} options={options} />
        </Field>
      </div>
      <Differences id={id} a={a} b={b} />
    </div>
  )
}

function Differences({ id, a, b }: { id: string; a: string; b: string }) {
  const { data, error, refetch } = useDiff(id, a, b)
  if (error) {
    return (
      <ErrorNotice title="The versions could not be compared" error={error} onRetry={() => void refetch()} />
    )
  }
  if (!data) return <SkeletonRows rows={4} label="Comparing the versions" />
  const { nodes } = data
  const places = [
    ...nodes.changed.map(({ id: node, paths }) => ({ title: `Node ${node}`, paths })),
    { title: 'Models', paths: data.models },
    { title: 'Tools', paths: data.tools },
    { title: 'Document', paths: data.document },
  ].filter(({ paths }) => paths.length > 0)
  const pieces = piecesOf(data)
  if (places.length === 0 && pieces.length === 0) {
    return (
      <EmptyState icon={<Equal aria-hidden />} title="The same">
        Nothing but the version differs between {a} and {b}.
      </EmptyState>
    )
  }
  return (
    <section aria-label="Differences" className="flex min-w-0 flex-col gap-4">
      {pieces.length > 0 && (
        <Card title="Nodes and edges" flush>
          <ul className="divide-y divide-line border-t text-sm">
            {pieces.map(({ key, isNew, what }) => (
              <li key={key} className="flex min-w-0 items-center gap-3 px-4 py-2">
                <Badge tone={isNew ? 'good' : 'bad'}>{isNew ? 'added' : 'removed'}</Badge>
                <span className="min-w-0 break-all">{what}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {places.map(({ title, paths }) => (
        <Card key={title} title={title} flush>
          <ul className="divide-y divide-line border-t">
            {paths.map((difference) => (
              <ChangedPlace key={difference.path} difference={difference} />
            ))}
          </ul>
        </Card>
      ))}
    </section>
  )
}

function piecesOf({ nodes, edges }: Diff): { key: string; isNew: boolean; what: string }[] {
  const piece = (isNew: boolean, what: string, at: number) => ({ key: `${isNew} ${what} ${at}`, isNew, what })
  return [
    ...nodes.added.map((node, at) => piece(true, nodeText(node), at)),
    ...nodes.removed.map((node, at) => piece(false, nodeText(node), at)),
    ...edges.added.map((edge, at) => piece(true, edgeText(edge), at)),
    ...edges.removed.map((edge, at) => piece(false, edgeText(edge), at)),
  ]
}

const nodeText = ({ id, type }: { id: string; type: string }) => `Node ${id} (${type})`

interface EdgeEnds {
  source: string
  sourceHandle: string
  target: string
  targetHandle: string
  channel: string
}
const edgeText = ({ source, sourceHandle, target, targetHandle, channel }: EdgeEnds) =>
  `Edge ${source}.${sourceHandle} → ${target}.${targetHandle}${channel === 'data' ? '' : ` (${channel})`}`

const ChangedPlace = ({ difference: { path, a, b } }: { difference: Difference }) => (
  <li className="flex min-w-0 flex-col gap-1.5 px-4 py-2.5">
    <code className="text-xs break-all text-muted">{path || '/'}</code>
    <div className="grid min-w-0 gap-2 sm:grid-cols-2">
      <Side label="Before">{a === undefined ? null : textOf(a)}</Side>
      <Side label="After">{b === undefined ? null : textOf(b)}</Side>
    </div>
  </li>
)

const Side = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="text-2xs text-muted">{label}</p>
    {children === null ? (
      <span className="text-sm text-muted italic">not there</span>
    ) : (
      <pre className="max-h-48 overflow-y-auto text-xs leading-relaxed break-words whitespace-pre-wrap">
        {children}
      </pre>
    )}
  </div>
)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
