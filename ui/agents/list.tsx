import { useMutation } from '@tanstack/react-query'
import { LayoutGrid, List, SearchX } from 'lucide-react'
import { useRef, useState } from 'react'
import type { AgentSummary } from '../../src/control/agents/schema'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { EmptyState } from '../kit/placeholders'
import { Segmented } from '../kit/segmented'
import { Select } from '../kit/select'
import { Spinner } from '../kit/spinner'
import { texts } from '../texts/agents'
import { arranged, needsAll, ORDERS, type Order, useAllPages, useShape } from './browse'
import type { useAgents } from './data'
import { DeleteAgents } from './delete-agents'
import { AgentCard, AgentRow } from './item'
import { SelectionBar } from './selection-bar'
import { exportAgents } from './transfer'
import { useInSight } from './use-in-sight'

interface AgentListProps {
  query: ReturnType<typeof useAgents>
  mayBuild: boolean
}

/** Every agent: searched, ordered, as cards or as a list; several can be chosen at once. */
export function AgentList({ query, mayBuild }: AgentListProps) {
  const [text, setText] = useState('')
  const [order, setOrder] = useState<Order>('newest')
  const [shape, setShape] = useShape()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [leaving, setLeaving] = useState<AgentSummary[]>([])
  const exporting = useMutation({ mutationFn: (agent: AgentSummary) => exportAgents([agent]) })
  const agents = query.data?.pages.flat() ?? []
  const isLookingAtAll = needsAll({ text, order })
  useAllPages(query, isLookingAtAll)
  const shown = arranged(agents, { text, order })
  const selected = shown.filter(({ id }) => chosen.has(id))
  const Item = shape === 'cards' ? AgentCard : AgentRow

  function toggle(id: string) {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  const items = (
    <ul
      aria-label={texts.title}
      className={
        shape === 'cards'
          ? 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4'
          : 'divide-y divide-line'
      }
    >
      {shown.map((agent) => (
        <Item
          key={agent.id}
          agent={agent}
          mayBuild={mayBuild}
          isChosen={chosen.has(agent.id)}
          isChoosing={selected.length > 0}
          onChoose={() => toggle(agent.id)}
          onExport={() => exporting.mutate(agent)}
          onDelete={() => setLeaving([agent])}
        />
      ))}
    </ul>
  )
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          type="search"
          aria-label={texts.list.search}
          placeholder={texts.list.searchPlaceholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="max-w-72 flex-1 basis-40"
        />
        <Select
          aria-label={texts.list.order}
          value={order}
          onChange={setOrder}
          options={ORDERS}
          className="w-auto! shrink-0"
        />
        <p role="status" className="text-xs text-muted">
          {text.trim() !== '' && texts.list.found(shown.length, agents.length)}
          {isLookingAtAll && query.hasNextPage && <Spinner label={texts.list.searching} />}
        </p>
        <span className="flex-1" />
        <Segmented
          label={texts.list.shape}
          hideLabel
          value={shape}
          onChange={setShape}
          options={[
            { value: 'cards', label: texts.list.shapes.cards, icon: <LayoutGrid aria-hidden /> },
            { value: 'list', label: texts.list.shapes.list, icon: <List aria-hidden /> },
          ]}
        />
      </div>
      {selected.length > 0 && (
        <SelectionBar
          selected={selected}
          shown={shown}
          onChoose={(ids) => setChosen(new Set(ids))}
          onDelete={() => setLeaving(selected)}
        />
      )}
      {exporting.error && (
        <ErrorNotice
          title={texts.item.exportFailed(exporting.variables.name)}
          error={exporting.error}
          onRetry={() => exporting.mutate(exporting.variables)}
          className="sticky top-2 z-10"
        />
      )}
      {shown.length === 0 && !query.hasNextPage && (
        <Card>
          <EmptyState
            icon={<SearchX aria-hidden />}
            title={texts.list.noneFits}
            action={<Button onClick={() => setText('')}>{texts.list.showAll}</Button>}
          >
            {texts.list.noneFitsHint}
          </EmptyState>
        </Card>
      )}
      {shown.length > 0 && (shape === 'cards' ? items : <Card flush>{items}</Card>)}
      {!isLookingAtAll && <More query={query} />}
      {leaving.length > 0 && <DeleteAgents agents={leaving} onClose={() => setLeaving([])} />}
    </div>
  )
}

/** The next page, as soon as the end of this one comes into sight. The button is for when that failed, and for keys. */
function More({
  query: { hasNextPage, isFetchingNextPage, isError, fetchNextPage },
}: Pick<AgentListProps, 'query'>) {
  const end = useRef<HTMLDivElement>(null)
  useInSight(end, () => void fetchNextPage(), hasNextPage && !isFetchingNextPage && !isError)
  if (!hasNextPage) return null
  return (
    <div ref={end} className="flex justify-center p-1">
      <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {texts.list.older}
      </Button>
    </div>
  )
}
