import { useNavigate } from '@tanstack/react-router'
import { Boxes, ChevronRight, LayoutDashboard, type LucideIcon, MessageSquare } from 'lucide-react'
import { texts as auth } from '../texts/auth'
import { texts as common } from '../texts/common'
import { useAccount } from './data'
import { Frame } from './frame'

const texts = auth.welcome

const STEPS: { to: '/registries' | '/chat' | '/'; icon: LucideIcon; title: string; text: string }[] = [
  {
    to: '/registries',
    icon: Boxes,
    title: common.addModel,
    text: texts.addModelHint,
  },
  {
    to: '/chat',
    icon: MessageSquare,
    title: texts.chat,
    text: texts.chatHint,
  },
  {
    to: '/',
    icon: LayoutDashboard,
    title: texts.dashboard,
    text: texts.dashboardHint,
  },
]

/** After the first account: where to go from here. */
export function Welcome({ onLeave }: { onLeave: () => void }) {
  const { display_name } = useAccount()
  const navigate = useNavigate()
  return (
    <Frame title={texts.title(display_name)} description={texts.description}>
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
