import { Link } from '@tanstack/react-router'
import { Ellipsis, FileJson, MessageSquare, Pencil, Trash2, Workflow } from 'lucide-react'
import type { AgentSummary } from '../../src/control/agents/schema'
import { Badge } from '../kit/badge'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { texts } from '../texts/agents'
import { Thumbnail } from './thumbnail'

interface ItemProps {
  agent: AgentSummary
  mayBuild: boolean
  isChosen: boolean
  /** Something is chosen already: every box shows. */
  isChoosing: boolean
  onChoose: () => void
  onExport: () => void
  onDelete: () => void
}

export const AgentCard = (props: ItemProps) => (
  <li
    className={classes(
      'group relative flex min-w-0 flex-col rounded-xl border bg-surface shadow-card transition-colors hover:border-line-strong',
      props.isChosen && 'border-accent! outline-1 outline-accent',
    )}
  >
    <Thumbnail agent={props.agent} />
    <div className="flex min-w-0 items-start gap-1 py-2.5 pr-2 pl-3.5">
      <div className="min-w-0 flex-1">
        <Name {...props} />
        <p className="truncate font-mono text-xs text-muted">{props.agent.id}</p>
        <p className="flex min-w-0 items-center gap-2 pt-1.5 text-xs text-muted">
          <Version {...props} />
          <RelativeTime value={props.agent.updated_at} className="ml-auto shrink-0 pr-1.5" />
        </p>
      </div>
      <More {...props} />
    </div>
    <Box
      {...props}
      className={classes(
        'absolute top-2.5 left-2.5',
        !props.isChoosing &&
          'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100',
      )}
    />
  </li>
)

export const AgentRow = (props: ItemProps) => (
  <li className="group relative flex items-center gap-3 px-4 py-2.5 transition-colors duration-75 hover:bg-sunken/60">
    {props.mayBuild ? (
      <Box {...props} className="relative" />
    ) : (
      <Workflow aria-hidden className="size-4 shrink-0 text-faint" />
    )}
    <div className="min-w-0 flex-1">
      <Name {...props} />
      <p className="truncate font-mono text-xs text-muted">{props.agent.id}</p>
    </div>
    <span className="flex max-w-40 min-w-0 items-center gap-2 text-xs text-muted max-sm:hidden">
      <Version {...props} />
    </span>
    <RelativeTime
      value={props.agent.updated_at}
      className="w-24 shrink-0 text-right text-xs whitespace-nowrap text-muted max-sm:hidden"
    />
    <More {...props} />
  </li>
)

const Name = ({ agent }: ItemProps) => (
  <Link to="/agents/$id" params={{ id: agent.id }} className={`${rowLink} block truncate text-sm`}>
    {agent.name}
  </Link>
)

const Version = ({ agent: { latest_version, version_count } }: ItemProps) => (
  <>
    <span className="flex min-w-0">
      <Badge>{latest_version}</Badge>
    </span>
    {version_count > 1 && <span className="shrink-0">{texts.item.versions(version_count)}</span>}
  </>
)

/** It is larger to the finger than to the eye. */
const Box = ({ agent, mayBuild, isChosen, onChoose, className }: ItemProps & { className: string }) =>
  mayBuild && (
    <input
      type="checkbox"
      aria-label={texts.item.choose(agent.name.slice(0, 60))}
      checked={isChosen}
      onChange={onChoose}
      className={classes('size-4 shrink-0 accent-accent pointer-coarse:size-5', className)}
    />
  )

const More = ({ agent, mayBuild, onExport, onDelete }: ItemProps) => (
  <Menu
    trigger={
      <IconButton
        size="sm"
        className="relative"
        label={texts.item.more(agent.name.slice(0, 60))}
        icon={<Ellipsis aria-hidden className="size-4" />}
      />
    }
  >
    <MenuItem asChild>
      <Link to="/chat" search={{ agent: agent.id }}>
        <MessageSquare aria-hidden />
        {texts.chat}
      </Link>
    </MenuItem>
    <MenuItem asChild>
      <Link to="/editor" search={{ agent: agent.id }}>
        {mayBuild ? <Pencil aria-hidden /> : <Workflow aria-hidden />}
        {mayBuild ? texts.edit : texts.look}
      </Link>
    </MenuItem>
    <MenuItem icon={<FileJson aria-hidden />} onSelect={onExport}>
      {texts.item.export}
    </MenuItem>
    {mayBuild && (
      <>
        <MenuSeparator />
        <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={onDelete}>
          {texts.deleteMore}
        </MenuItem>
      </>
    )}
  </Menu>
)
