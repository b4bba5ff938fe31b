import { useEffect, useState } from 'react'
import type { AgentSummary } from '../../src/control/agents/schema'
import { texts } from '../texts/agents'
import type { useAgents } from './data'

export const ORDERS = [
  { value: 'newest', label: texts.list.orders.newest },
  { value: 'changed', label: texts.list.orders.changed },
  { value: 'name', label: texts.list.orders.name },
] as const
export type Order = (typeof ORDERS)[number]['value']
export type Shape = 'cards' | 'list'

interface Wish {
  text: string
  order: Order
}

/** The agents that are wanted, in the order that is wanted. They come newest first from the server. */
export function arranged(agents: readonly AgentSummary[], { text, order }: Wish): AgentSummary[] {
  const wanted = text.trim().toLowerCase()
  const matching = agents.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted))
  switch (order) {
    case 'newest':
      return matching
    case 'changed':
      return matching.sort((a, b) => b.updated_at.localeCompare(a.updated_at))
    case 'name':
      return matching.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
  }
}

/** Only who has seen every agent can find one, or name the first: then page after page is fetched. */
export const needsAll = ({ text, order }: Wish): boolean => text.trim() !== '' || order !== 'newest'

export function useAllPages(agents: ReturnType<typeof useAgents>, wanted: boolean) {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = agents
  useEffect(() => {
    if (wanted && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage()
  }, [wanted, hasNextPage, isFetchingNextPage, isError, fetchNextPage])
}

const SHAPE = 'tycho.agents.shape'

/** This browser remembers how its person looks at agents. */
export function useShape() {
  const [shape, setShape] = useState<Shape>(() => (localStorage.getItem(SHAPE) === 'list' ? 'list' : 'cards'))
  return [
    shape,
    (next: Shape) => {
      localStorage.setItem(SHAPE, next)
      setShape(next)
    },
  ] as const
}
