import { Link } from '@tanstack/react-router'
import {
  ArrowLeft,
  CircleAlert,
  CircleCheck,
  Code,
  Ellipsis,
  GitCompareArrows,
  History,
  Keyboard,
  Play,
  Search,
  Send,
  Workflow,
} from 'lucide-react'
import { Button, IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { controlLooks } from '../kit/input'
import { Menu, MenuItem, MenuSeparator } from '../kit/menu'
import { Segmented } from '../kit/segmented'
import { Tooltip } from '../kit/tooltip'
import type { KeeperState } from './keeper'

export type Mode = 'visual' | 'code'

interface ToolbarProps {
  name: string
  onName: (name: string) => void
  agentId: string | null
  mode: Mode
  onMode: (mode: Mode) => void
  saving: KeeperState | null
  /** Null as long as nobody has looked. */
  problems: number | null
  onProblems: () => void
  onTest: () => void
  onPublish: () => void
  onSearch: () => void
  onHelp: () => void
  readOnly: boolean
}

export function Toolbar(props: ToolbarProps) {
  const { name, onName, mode, onMode, saving, readOnly } = props
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 border-b bg-surface px-2 py-1.5">
      <IconButton
        label="Back to the agents"
        icon={<ArrowLeft aria-hidden className="size-4" />}
        onClick={() => history.length > 1 && history.back()}
        className="max-md:hidden"
      />
      <h1 className="sr-only">Editor: {name}</h1>
      <input
        aria-label="Name of the agent"
        value={name}
        readOnly={readOnly}
        maxLength={200}
        onChange={({ target }) => onName(target.value)}
        className={classes(
          controlLooks,
          'h-8 max-w-56 flex-1 basis-24 max-sm:-order-3 border-transparent bg-transparent px-2 text-base font-semibold shadow-none',
        )}
      />
      {saving && (
        <div className="max-sm:-order-2">
          <SaveState saving={saving} />
        </div>
      )}
      <span className="flex-1 max-sm:hidden" />
      <div className="max-sm:-order-2">
        <ProblemsButton count={props.problems} onClick={props.onProblems} />
      </div>
      <Segmented
        label="View"
        hideLabel
        value={mode}
        onChange={onMode}
        options={[
          { value: 'visual', label: 'Visual', icon: <Workflow aria-hidden /> },
          { value: 'code', label: 'Code', icon: <Code aria-hidden /> },
        ]}
      />
      {!readOnly && (
        <>
          <Button icon={<Play aria-hidden className="size-3.5 max-sm:hidden" />} onClick={props.onTest}>
            Test
          </Button>
          <Button
            variant="primary"
            icon={<Send aria-hidden className="size-3.5 max-sm:hidden" />}
            onClick={props.onPublish}
          >
            Publish
          </Button>
        </>
      )}
      <div className="max-sm:-order-1">
        <MoreMenu {...props} />
      </div>
    </header>
  )
}

function MoreMenu({ agentId, onSearch, onHelp }: ToolbarProps) {
  return (
    <Menu trigger={<IconButton label="More" icon={<Ellipsis aria-hidden className="size-4" />} />}>
      <MenuItem icon={<Search aria-hidden />} onSelect={onSearch}>
        Find a node
      </MenuItem>
      <MenuItem icon={<Keyboard aria-hidden />} onSelect={onHelp}>
        Keyboard shortcuts
      </MenuItem>
      {agentId !== null && (
        <>
          <MenuSeparator />
          <MenuItem asChild>
            <Link to="/agents/$id" params={{ id: agentId }}>
              <History aria-hidden />
              Versions
            </Link>
          </MenuItem>
          <MenuItem asChild>
            <Link to="/agents/$id" params={{ id: agentId }} search={{ tab: 'compare' }}>
              <GitCompareArrows aria-hidden />
              Compare versions
            </Link>
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

const ProblemsButton = ({ count, onClick }: { count: number | null; onClick: () => void }) => (
  <Button
    variant="ghost"
    onClick={onClick}
    className={count ? 'text-bad!' : undefined}
    icon={
      count === null ? undefined : count > 0 ? (
        <CircleAlert aria-hidden className="size-4" />
      ) : (
        <CircleCheck aria-hidden className="size-4 text-good" />
      )
    }
  >
    <span className={count === 0 ? 'max-sm:sr-only' : undefined}>
      {count === null
        ? 'Checking…'
        : count === 0
          ? 'No problems'
          : count === 1
            ? '1 problem'
            : `${count} problems`}
    </span>
  </Button>
)

const SAVED: Record<KeeperState['status'], { text: string; more: string }> = {
  saved: { text: 'Saved', more: 'Everything is on the server.' },
  kept: { text: 'Kept here', more: 'It is in this browser, and goes to the server in a moment.' },
  saving: { text: 'Saving…', more: 'It is in this browser, and on its way to the server.' },
  offline: {
    text: 'Not saved yet',
    more: 'The server did not take it. It is kept in this browser and tried again.',
  },
  lost: {
    text: 'Nowhere saved',
    more: 'The server did not take it, and this browser has no room. Copy the code, to be safe.',
  },
}

function SaveState({ saving: { status, draftId } }: { saving: KeeperState }) {
  const { text, more } = SAVED[status]
  const isBad = status === 'offline' || status === 'lost'
  const shown = status === 'saved' && draftId === null ? 'No changes' : text
  return (
    <Tooltip label={shown === 'No changes' ? 'A draft is made with the first change.' : more}>
      <span
        role="status"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what it means shows on focus too
        tabIndex={0}
        className={classes(
          'rounded-md px-1.5 text-xs whitespace-nowrap',
          isBad ? 'font-medium text-bad' : 'text-muted',
        )}
      >
        {shown}
      </span>
    </Tooltip>
  )
}
