import { X } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { texts } from '../texts/gateway-reports'
import { Choice } from './choice'
import { GROUPS, type Group, groupText, MOST_GROUPS } from './columns'
import { type Report, type ReportFilters, useReport } from './data'

type Change = ReportFilters & { group?: string; sort?: string }

interface ReportBuilderProps {
  groups: readonly Group[]
  filters: ReportFilters
  /** The report on show: what days it was made of. */
  shown: Report | undefined
  onChange: (change: Change) => void
}

const NARROWED_BY = ['developer', 'project', 'model', 'client', 'gateway'] as const
const DAY_MS = 24 * 60 * 60 * 1000

/** By what, from when to when, and of whom. The address holds it all. */
export function ReportBuilder({ groups, filters, shown, onChange }: ReportBuilderProps) {
  const isAdmin = useAccount().role === 'admin'
  const narrowed = Object.values(filters).some((value) => value !== undefined)
  return (
    <section
      aria-label={texts.report.filters}
      className="flex flex-col gap-4 rounded-xl border bg-surface p-4 shadow-card"
    >
      <GroupChoice groups={groups} isAdmin={isAdmin} onChange={onChange} />
      <div className="flex flex-wrap items-end gap-x-3 gap-y-3">
        <Field label={texts.report.from} className="max-w-44 flex-1 basis-32">
          <Input
            type="date"
            value={filters.from ?? shown?.from ?? ''}
            max={lastDay(filters.to ?? shown?.to)}
            onChange={(event) => onChange({ from: event.target.value || undefined })}
          />
        </Field>
        <Field label={texts.report.through} className="max-w-44 flex-1 basis-32">
          <Input
            type="date"
            value={lastDay(filters.to ?? shown?.to)}
            min={filters.from ?? shown?.from}
            onChange={(event) => onChange({ to: dayAfter(event.target.value) })}
          />
        </Field>
        {NARROWED_BY.filter((group) => isAdmin || (group !== 'developer' && group !== 'gateway')).map(
          (group) => (
            <Narrow key={group} group={group} filters={filters} onChange={onChange} />
          ),
        )}
        {narrowed && (
          <Button
            variant="ghost"
            icon={<X aria-hidden className="size-3.5" />}
            onClick={() =>
              onChange({
                from: undefined,
                to: undefined,
                developer: undefined,
                project: undefined,
                model: undefined,
                client: undefined,
                gateway: undefined,
              })
            }
          >
            {texts.report.clear}
          </Button>
        )}
      </div>
    </section>
  )
}

function GroupChoice({
  groups,
  isAdmin,
  onChange,
}: {
  groups: readonly Group[]
  isAdmin: boolean
  onChange: (change: Change) => void
}) {
  const toggle = (group: Group) => {
    const next = groups.includes(group) ? groups.filter((one) => one !== group) : [...groups, group]
    onChange({
      group: next.length === 0 || String(next) === 'day' ? undefined : next.join(','),
      sort: undefined,
    })
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">
        {texts.report.groupBy}{' '}
        <span className="text-xs font-normal text-muted">{texts.report.groupByHint}</span>
      </legend>
      <div className="flex flex-wrap gap-1.5">
        {GROUPS.filter(({ value }) => isAdmin || value !== 'developer').map(({ value, label }) => {
          const at = groups.indexOf(value)
          return (
            <Button
              key={value}
              size="sm"
              variant={at >= 0 ? 'primary' : 'secondary'}
              aria-pressed={at >= 0}
              disabled={at < 0 && groups.length >= MOST_GROUPS}
              onClick={() => toggle(value)}
            >
              {at >= 0 && groups.length > 1 && `${at + 1}. `}
              {label}
            </Button>
          )
        })}
      </div>
    </fieldset>
  )
}

interface NarrowProps {
  group: (typeof NARROWED_BY)[number]
  filters: ReportFilters
  onChange: (change: Change) => void
}

/** Offers what there was in the days of the report. */
function Narrow({ group, filters: { from, to, ...filters }, onChange }: NarrowProps) {
  const rows = useReport({ from, to }, [group]).data?.rows ?? []
  const value = filters[group]
  if (rows.length < 2 && value === undefined) return null
  return (
    <Choice
      label={texts.fields[group]}
      any={texts.report.every[group]}
      value={value}
      options={rows
        .filter((row) => row[group])
        .map((row) => ({ value: row[group]!, label: groupText(row, group) }))}
      onChange={(next) => onChange({ [group]: next })}
    />
  )
}

/** `to` is exclusive; people say the last day. */
const lastDay = (to: string | undefined): string => (to ? shifted(to, -DAY_MS) : '')
const dayAfter = (day: string): string | undefined => (day ? shifted(day, DAY_MS) : undefined)

function shifted(day: string, ms: number): string {
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + ms
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
}
