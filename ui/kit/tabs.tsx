import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

interface TabsProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  tabs: readonly { value: T; label: ReactNode }[]
  /** The chosen tab's content. */
  children: ReactNode
}

/** A row of tabs that scrolls sideways where it does not fit, above the panel of the chosen one. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const row = list.current
    const chosen = row?.querySelector<HTMLElement>(`[data-tab="${value}"]`)
    // The chosen one is never out of sight; `scrollIntoView` would scroll the page as well.
    if (row && chosen) row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} className="min-w-0">
      <Radix.List
        ref={list}
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto border-b [scrollbar-width:none] [&::-webkit-scrollbar]:hidden"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            data-tab={tab.value}
            className="relative shrink-0 rounded-t-md px-2.5 pt-1.5 pb-2.5 text-sm text-muted transition-colors hover:text-text focus-visible:outline-offset-[-2px] data-[state=active]:font-medium data-[state=active]:text-text data-[state=active]:after:absolute data-[state=active]:after:inset-x-2.5 data-[state=active]:after:-bottom-px data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-ink pointer-coarse:py-3"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} className="pt-5 outline-none">
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}
