import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useAgent, useAgentChoices } from '../agents/data'
import { Combobox } from '../kit/combobox'
import { Input } from '../kit/input'
import { Select } from '../kit/select'
import { texts as runs } from '../texts/runs'
import { useTriggers } from '../triggers/data'
import { PERIODS, type RunFilters, STATUSES } from './filters'

const texts = runs.filters

/** Typing is over when no key came for so long. */
const TYPED_MS = 250
const ANY = 'any'

interface FilterBarProps {
  filters: RunFilters
  onChange: (change: RunFilters) => void
}

/** What narrows the list. The address holds it, so that a narrowed list can be linked and gone back to. */
export const FilterBar = ({ filters, onChange }: FilterBarProps) => (
  <div className="flex flex-wrap items-center gap-2 border-b p-2">
    <TextFilter value={filters.text ?? ''} onChange={(text) => onChange({ text })} />
    <Choice
      label={texts.status}
      any={texts.anyStatus}
      value={filters.status}
      options={STATUSES}
      onChange={(status) => onChange({ status })}
    />
    <Choice
      label={texts.time}
      any={texts.anyTime}
      value={filters.period}
      options={PERIODS}
      onChange={(period) => onChange({ period })}
    />
    <AgentFilter
      value={filters.agent}
      onChange={(agent) => onChange({ agent, version: undefined, trigger: undefined })}
    />
    {filters.agent ? (
      <OfAgent agent={filters.agent} filters={filters} onChange={onChange} />
    ) : (
      <>
        {filters.version && (
          <Narrowing
            label={texts.oneVersion(filters.version)}
            onRemove={() => onChange({ version: undefined })}
          />
        )}
        {filters.trigger && (
          <Narrowing label={texts.oneTrigger} onRemove={() => onChange({ trigger: undefined })} />
        )}
      </>
    )}
  </div>
)

function TextFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value)
  const asked = useRef(value)
  const tell = useRef(onChange)
  tell.current = onChange
  // The address may change without typing: by going back, or by "Show all".
  useEffect(() => {
    if (value !== asked.current) setTyped(value)
    asked.current = value
  }, [value])
  useEffect(() => {
    if (typed === asked.current) return
    const timer = setTimeout(() => {
      asked.current = typed
      tell.current(typed)
    }, TYPED_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <Input
      type="search"
      aria-label={texts.text}
      placeholder={texts.textPlaceholder}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
      className="max-w-72 flex-1 basis-52"
    />
  )
}

interface ChoiceProps {
  label: string
  any: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  onChange: (value: string | undefined) => void
}

const Choice = ({ label, any, value, options, onChange }: ChoiceProps) => (
  <div className="w-34">
    <Select
      aria-label={label}
      value={options.some((option) => option.value === value) ? (value ?? ANY) : ANY}
      onChange={(next) => onChange(next === ANY ? undefined : next)}
      options={[{ value: ANY, label: any }, ...options]}
    />
  </div>
)

function AgentFilter({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (agent: string | undefined) => void
}) {
  const agents = useAgentChoices()
  const options = agents.map(({ id, name }) => ({ value: id, label: name, hint: id }))
  // An agent that is gone has runs all the same.
  const gone = value !== undefined && !agents.some(({ id }) => id === value)
  if (options.length === 0 && !gone) return null
  return (
    <Combobox
      label={texts.agent}
      value={value ?? ANY}
      onChange={(next) => onChange(next === ANY ? undefined : next)}
      options={[
        { value: ANY, label: texts.anyAgent },
        ...(gone ? [{ value, label: value }] : []),
        ...options,
      ]}
      searchPlaceholder={texts.findAgent}
      empty={texts.noAgentFits}
      className="border-line-strong bg-surface shadow-card sm:max-w-48"
    />
  )
}

interface OfAgentProps extends FilterBarProps {
  agent: string
}

/** What one agent's runs differ in: its version, and what started them. */
function OfAgent({ agent, filters: { version, trigger }, onChange }: OfAgentProps) {
  const versions = useAgent(agent).data?.versions.map((one) => one.version) ?? []
  const triggers = useTriggers(agent).data ?? []
  // What is gone since has runs all the same.
  const known = version && !versions.includes(version) ? [version, ...versions] : versions
  const choices = triggers.map(({ id, kind, config }) => ({
    value: id,
    label: kind === 'schedule' ? texts.schedule(config.cron ?? '') : texts.webhook(id.slice(-4)),
  }))
  if (trigger && !triggers.some(({ id }) => id === trigger)) {
    choices.unshift({ value: trigger, label: texts.goneTrigger(trigger.slice(-4)) })
  }
  return (
    <>
      {known.length > 0 && (
        <Choice
          label={texts.version}
          any={texts.anyVersion}
          value={version}
          options={known.map((one) => ({ value: one, label: one }))}
          onChange={(next) => onChange({ version: next })}
        />
      )}
      {choices.length > 0 && (
        <Choice
          label={texts.trigger}
          any={texts.anyTrigger}
          value={trigger}
          options={choices}
          onChange={(next) => onChange({ trigger: next })}
        />
      )}
    </>
  )
}

const Narrowing = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <button
    type="button"
    onClick={onRemove}
    className="inline-flex h-7 items-center gap-1.5 rounded-full border bg-sunken px-2.5 text-xs text-muted hover:text-text pointer-coarse:h-10"
  >
    {label}
    <X aria-hidden className="size-3" />
    <span className="sr-only">{texts.remove}</span>
  </button>
)
