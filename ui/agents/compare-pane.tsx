import { useNavigate, useSearch } from '@tanstack/react-router'
import { Equal, GitCompareArrows } from 'lucide-react'
import type { Agent } from '../../src/control/agents/schema'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { Select } from '../kit/select'
import { texts as agents } from '../texts/agents'
import { useDiff } from './data'
import { DifferenceList, isSame } from './differences'

const texts = agents.compare

/** What changed from one version to another; at first the last two. */
export function ComparePane({ agent: { id, versions } }: { agent: Agent }) {
  const search = useSearch({ from: '/agents/$id' })
  const navigate = useNavigate()
  const [newest, previous] = versions
  if (!previous) {
    return (
      <EmptyState icon={<GitCompareArrows aria-hidden />} title={texts.onlyOne}>
        {texts.onlyOneHint}
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
        <Field label={texts.from}>
          <Select value={a} onChange={(next) => choose({ a: next, b })} options={options} />
        </Field>
        <Field label={texts.to}>
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
    return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <SkeletonRows rows={4} label={texts.loading} />
  if (isSame(data)) {
    return (
      <EmptyState icon={<Equal aria-hidden />} title={texts.same}>
        {texts.sameHint(a, b)}
      </EmptyState>
    )
  }
  return <DifferenceList data={data} />
}
