import { useNavigate } from '@tanstack/react-router'
import { Boxes, ChevronRight, LayoutDashboard, type LucideIcon, MessageSquare } from 'lucide-react'
import { useAccount } from './data'
import { Frame } from './frame'

const STEPS: { to: '/registries' | '/chat' | '/'; icon: LucideIcon; title: string; text: string }[] = [
  {
    to: '/registries',
    icon: Boxes,
    title: 'Add a model',
    text: 'Connect a provider you have a key for, or run one on this machine. Everything else needs one.',
  },
  {
    to: '/chat',
    icon: MessageSquare,
    title: 'Start chatting',
    text: 'Ask a model something, and watch the run it makes.',
  },
  {
    to: '/',
    icon: LayoutDashboard,
    title: 'Look around first',
    text: 'The dashboard shows what there is, and what is missing.',
  },
]

/** After the first account: where to go from here. */
export function Welcome({ onLeave }: { onLeave: () => void }) {
  const { display_name } = useAccount()
  const navigate = useNavigate()
  return (
    <Frame
      title={`Good to have you, ${display_name}`}
      description="Your account is ready. What would you like to do?"
    >
      <ul className="flex flex-col gap-2">
        {STEPS.map(({ to, icon: Icon, title, text }, index) => (
          <li key={to}>
            <button
              type="button"
              // biome-ignore lint/a11y/noAutofocus: the form that had the focus is gone
              autoFocus={index === 0}
              onClick={() => {
                onLeave()
                void navigate({ to })
              }}
              className="group flex w-full items-center gap-3.5 rounded-xl border bg-surface p-3.5 text-left shadow-card transition-colors hover:border-line-strong hover:bg-sunken"
            >
              <span className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-sunken text-muted group-hover:text-text">
                <Icon aria-hidden className="size-4.5" />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block text-sm font-medium">{title}</span>
                <span className="block text-xs text-muted">{text}</span>
              </span>
              <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
            </button>
          </li>
        ))}
      </ul>
    </Frame>
  )
}
