import { useNavigate, useSearch } from '@tanstack/react-router'
import { Equal, GitCompareArrows } from 'lucide-react'
import type { Agent } from '../../src/control/agents/schema'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { Select } from '../kit/select'
import { useDiff } from './data'
import { DifferenceList, isSame } from './differences'

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
  if (isSame(data)) {
    return (
      <EmptyState icon={<Equal aria-hidden />} title="The same">
        Nothing but the version differs between {a} and {b}.
      </EmptyState>
    )
  }
  return <DifferenceList data={data} />
}
