import { RadioGroup as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

interface SegmentedProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: string; icon?: ReactNode }[]
  hideLabel?: boolean
}

/** One of a few, all on show. */
export function Segmented<T extends string>({
  label,
  value,
  onChange,
  options,
  hideLabel,
}: SegmentedProps<T>) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <span id={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </span>
      <Radix.Root
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onChange(next as T)}
        className="inline-flex rounded-lg border bg-sunken p-0.5"
      >
        {options.map((option) => (
          <Radix.Item
            key={option.value}
            value={option.value}
            className="inline-flex h-7 items-center gap-1.5 rounded-md border border-transparent px-2.5 text-xs font-medium text-muted transition-colors hover:text-text data-[state=checked]:border-line data-[state=checked]:bg-surface data-[state=checked]:text-text data-[state=checked]:shadow-card pointer-coarse:h-9 [&_svg]:size-3.5"
          >
            {option.icon}
            {option.label}
          </Radix.Item>
        ))}
      </Radix.Root>
    </div>
  )
}
