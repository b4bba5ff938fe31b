import { Combobox } from '../kit/combobox'
import { texts as gateway } from '../texts/gateway'

const texts = gateway.choice

const ANY = '*'

interface ChoiceProps {
  label: string
  /** What it says while nothing is chosen. */
  any: string
  value: string | undefined
  options: readonly { value: string; label: string }[]
  onChange: (value: string | undefined) => void
}

/** Narrows to one of what there is. */
export function Choice({ label, any, value, options, onChange }: ChoiceProps) {
  // The address may name what the last 30 days have not seen.
  const gone = value !== undefined && !options.some((option) => option.value === value)
  return (
    <Combobox
      label={label}
      value={value ?? ANY}
      onChange={(next) => onChange(next === ANY ? undefined : next)}
      options={[{ value: ANY, label: any }, ...(gone ? [{ value, label: value }] : []), ...options]}
      searchPlaceholder={texts.find(label)}
      empty={texts.empty}
      className="border-line-strong! bg-surface shadow-card sm:max-w-56"
    />
  )
}
