import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { texts } from '../texts/editor'

interface SidePanelProps {
  title: string
  icon?: ReactNode
  wide?: boolean
  onClose: () => void
  children: ReactNode
}

/** What belongs to the canvas, at its right; from below on a phone. */
export const SidePanel = ({ title, icon, wide, onClose, children }: SidePanelProps) => (
  <aside
    aria-label={title}
    className={classes(
      'flex shrink-0 flex-col border-l bg-surface max-md:absolute max-md:inset-x-0 max-md:bottom-0 max-md:z-10 max-md:max-h-[62%] max-md:rounded-t-xl max-md:border-t max-md:border-l-0 max-md:shadow-raised',
      wide ? 'md:w-[40rem]' : 'md:w-80 lg:w-96',
    )}
  >
    <div className="flex h-11 shrink-0 items-center gap-2 border-b pr-2 pl-4">
      {icon}
      <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">{title}</h2>
      <IconButton
        size="sm"
        label={texts.panels.close}
        icon={<X aria-hidden className="size-4" />}
        onClick={onClose}
      />
    </div>
    <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
  </aside>
)
