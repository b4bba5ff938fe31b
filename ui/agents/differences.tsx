import type { ReactNode } from 'react'
import type { Difference, Differences } from '../../src/graph/diff'
import { Badge } from '../kit/badge'
import { Card } from '../kit/card'
import { texts as agents } from '../texts/agents'

const texts = agents.differences

/** What differs between two documents, place by place; nothing where they are the same. */
export function DifferenceList({ data }: { data: Differences }) {
  const { nodes } = data
  const places = [
    ...nodes.changed.map(({ id: node, paths }) => ({ title: texts.changedNode(node), paths })),
    { title: texts.models, paths: data.models },
    { title: texts.tools, paths: data.tools },
    { title: texts.document, paths: data.document },
  ].filter(({ paths }) => paths.length > 0)
  const pieces = piecesOf(data)
  if (places.length === 0 && pieces.length === 0) return null
  return (
    <section aria-label={texts.title} className="flex min-w-0 flex-col gap-4">
      {pieces.length > 0 && (
        <Card title={texts.pieces} flush>
          <ul className="divide-y divide-line border-t text-sm">
            {pieces.map(({ key, isNew, what }) => (
              <li key={key} className="flex min-w-0 items-center gap-3 px-4 py-2">
                <Badge tone={isNew ? 'good' : 'bad'}>{isNew ? texts.added : texts.removed}</Badge>
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

export const isSame = (data: Differences): boolean =>
  piecesOf(data).length === 0 &&
  data.nodes.changed.length + data.models.length + data.tools.length + data.document.length === 0

function piecesOf({ nodes, edges }: Differences): { key: string; isNew: boolean; what: string }[] {
  const piece = (isNew: boolean, what: string, at: number) => ({ key: `${isNew} ${what} ${at}`, isNew, what })
  return [
    ...nodes.added.map((node, at) => piece(true, nodeText(node), at)),
    ...nodes.removed.map((node, at) => piece(false, nodeText(node), at)),
    ...edges.added.map((edge, at) => piece(true, edgeText(edge), at)),
    ...edges.removed.map((edge, at) => piece(false, edgeText(edge), at)),
  ]
}

const nodeText = ({ id, type }: { id: string; type: string }) => texts.node(id, type)

interface EdgeEnds {
  source: string
  sourceHandle: string
  target: string
  targetHandle: string
  channel: string
}
function edgeText({ source, sourceHandle, target, targetHandle, channel }: EdgeEnds) {
  const text = texts.edge(`${source}.${sourceHandle}`, `${target}.${targetHandle}`)
  return channel === 'data' ? text : `${text} (${channel})`
}

const ChangedPlace = ({ difference: { path, a, b } }: { difference: Difference }) => (
  <li className="flex min-w-0 flex-col gap-1.5 px-4 py-2.5">
    <code className="text-xs break-all text-muted">{path || '/'}</code>
    <div className="grid min-w-0 gap-2 sm:grid-cols-2">
      <Side label={texts.before}>{a === undefined ? null : textOf(a)}</Side>
      <Side label={texts.after}>{b === undefined ? null : textOf(b)}</Side>
    </div>
  </li>
)

const Side = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="text-2xs text-muted">{label}</p>
    {children === null ? (
      <span className="text-sm text-muted italic">{texts.absent}</span>
    ) : (
      <pre className="max-h-48 overflow-y-auto text-xs leading-relaxed break-words whitespace-pre-wrap">
        {children}
      </pre>
    )}
  </div>
)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
