import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  CircleUser,
  Library,
  LogOut,
  type LucideIcon,
  MessageSquarePlus,
  Plus,
  Search,
  UserPlus,
  Workflow,
} from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { useAccount, useLogout } from '../auth/data'
import { Kbd } from '../kit/kbd'
import { THEME_OPTIONS, useThemeChoice } from '../profile/theme'
import { SETTINGS_TABS } from '../settings/tabs'
import { texts as common } from '../texts/common'
import { texts as shell } from '../texts/shell'
import { useShell } from './context'
import { PLACES } from './places'

const texts = shell.palette

/** Everything one can go to or do, by typing a piece of its name. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const { openProfile } = useShell()
  const { choose } = useThemeChoice()
  const logout = useLogout()
  const isAdmin = useAccount().role === 'admin'
  const chosen = useRef(false)

  const then = (run: () => unknown) => () => {
    chosen.current = true
    onClose()
    run()
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade-in bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          // What was chosen decides where the focus goes; after Escape it goes back.
          onCloseAutoFocus={(event) => chosen.current && event.preventDefault()}
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100%-1.5rem)] max-w-xl -translate-x-1/2 animate-fade-in overflow-hidden rounded-xl border bg-raised shadow-raised outline-none"
        >
          <Dialog.Title className="sr-only">{shell.search.title}</Dialog.Title>
          <Command label={shell.search.title} loop>
            <div className="flex items-center gap-2.5 border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-faint" />
              <Command.Input
                placeholder={texts.placeholder}
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none"
              />
              <Kbd>{texts.close}</Kbd>
            </div>
            <Command.List className="max-h-[min(24rem,60dvh)] overflow-y-auto overscroll-contain p-1.5">
              <Command.Empty className="px-4 py-8 text-center text-sm text-muted">
                {texts.empty}
              </Command.Empty>
              <Group heading={texts.goTo}>
                {PLACES.map(({ to, title, icon }) => (
                  <Item key={to} icon={icon} onSelect={then(() => navigate({ to }))}>
                    {title}
                  </Item>
                ))}
              </Group>
              <Group heading={texts.actions}>
                <Item icon={MessageSquarePlus} onSelect={then(() => navigate({ to: '/chat' }))}>
                  {texts.newChat}
                </Item>
                <Item icon={Workflow} onSelect={then(() => navigate({ to: '/editor' }))}>
                  {texts.newAgent}
                </Item>
                <Item icon={Plus} onSelect={then(() => navigate({ to: '/registries' }))}>
                  {common.addModel}
                </Item>
                <Item
                  icon={Library}
                  onSelect={then(() => navigate({ to: '/registries', search: { tab: 'catalog' } }))}
                >
                  {texts.catalog}
                </Item>
                {isAdmin && (
                  <Item
                    icon={UserPlus}
                    onSelect={then(() => navigate({ to: '/settings', search: { tab: 'users' } }))}
                  >
                    {texts.users}
                  </Item>
                )}
                <Item icon={CircleUser} onSelect={then(openProfile)}>
                  {texts.profile}
                </Item>
                <Item icon={LogOut} onSelect={then(() => logout.mutate())}>
                  {shell.account.signOut}
                </Item>
              </Group>
              <Group heading={texts.themes}>
                {THEME_OPTIONS.map(({ value, label, icon }) => (
                  <Item key={value} icon={icon} onSelect={then(() => choose(value))}>
                    {texts.theme(label)}
                  </Item>
                ))}
              </Group>
              {isAdmin && (
                <Group heading={texts.settings}>
                  {SETTINGS_TABS.map(({ value, label, icon }) => (
                    <Item
                      key={value}
                      icon={icon}
                      onSelect={then(() => navigate({ to: '/settings', search: { tab: value } }))}
                    >
                      {texts.settingsTab(label)}
                    </Item>
                  ))}
                </Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="py-1 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint"
  >
    {children}
  </Command.Group>
)

interface ItemProps {
  icon: LucideIcon
  onSelect: () => void
  children: ReactNode
}

const Item = ({ icon: Icon, onSelect, children }: ItemProps) => (
  <Command.Item
    onSelect={onSelect}
    className="flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 text-sm select-none data-[selected=true]:bg-hover pointer-coarse:h-11"
  >
    <Icon aria-hidden className="size-4 shrink-0 text-muted" />
    {/* One text: the search reads the item's text content. */}
    <span>{children}</span>
  </Command.Item>
)
