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
import { texts as editor } from '../texts/editor'
import type { KeeperState } from './keeper'

const texts = editor.toolbar

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
        label={texts.back}
        icon={<ArrowLeft aria-hidden className="size-4" />}
        onClick={() => history.length > 1 && history.back()}
        className="max-md:hidden"
      />
      <h1 className="sr-only">{texts.title(name)}</h1>
      <input
        aria-label={texts.name}
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
        label={texts.view}
        hideLabel
        value={mode}
        onChange={onMode}
        options={[
          { value: 'visual', label: texts.visual, icon: <Workflow aria-hidden /> },
          { value: 'code', label: texts.code, icon: <Code aria-hidden /> },
        ]}
      />
      {!readOnly && (
        <>
          <Button icon={<Play aria-hidden className="size-3.5 max-sm:hidden" />} onClick={props.onTest}>
            {texts.test}
          </Button>
          <Button
            variant="primary"
            icon={<Send aria-hidden className="size-3.5 max-sm:hidden" />}
            onClick={props.onPublish}
          >
            {texts.publish}
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
    <Menu trigger={<IconButton label={texts.more} icon={<Ellipsis aria-hidden className="size-4" />} />}>
      <MenuItem icon={<Search aria-hidden />} onSelect={onSearch}>
        {texts.search}
      </MenuItem>
      <MenuItem icon={<Keyboard aria-hidden />} onSelect={onHelp}>
        {texts.shortcuts}
      </MenuItem>
      {agentId !== null && (
        <>
          <MenuSeparator />
          <MenuItem asChild>
            <Link to="/agents/$id" params={{ id: agentId }}>
              <History aria-hidden />
              {texts.versions}
            </Link>
          </MenuItem>
          <MenuItem asChild>
            <Link to="/agents/$id" params={{ id: agentId }} search={{ tab: 'compare' }}>
              <GitCompareArrows aria-hidden />
              {texts.compare}
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
      {count === null ? texts.checking : count === 0 ? texts.noProblems : texts.problems(count)}
    </span>
  </Button>
)

function SaveState({ saving: { status, draftId } }: { saving: KeeperState }) {
  const isBad = status === 'offline' || status === 'lost'
  const { label, hint } = editor.saving[status === 'saved' && draftId === null ? 'unchanged' : status]
  return (
    <Tooltip label={hint}>
      <span
        role="status"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what it means shows on focus too
        tabIndex={0}
        className={classes(
          'rounded-md px-1.5 text-xs whitespace-nowrap',
          isBad ? 'font-medium text-bad' : 'text-muted',
        )}
      >
        {label}
      </span>
    </Tooltip>
  )
}
