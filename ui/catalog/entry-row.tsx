import { Link } from '@tanstack/react-router'
import { CircleCheck, Download, Heart, Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../kit/badge'
import { classes } from '../kit/classes'
import { rowLink } from '../kit/table'
import { contextSize } from '../registries/capabilities'
import { MODALITY_LABELS } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import { short } from '../texts/words'
import { type CatalogEntry, usePrefetchDetail } from './data'
import { ownerOf } from './labels'

const texts = catalog.entry

interface EntryRowProps {
  entry: CatalogEntry
  chosen: boolean
  onOpen: (repo: string) => void
}

/** A model of the hub at a glance. */
export function EntryRow({ entry, chosen, onOpen }: EntryRowProps) {
  const prefetch = usePrefetchDetail()
  const { ref, title, badges, installed } = entry
  return (
    <li
      className={classes(
        'relative flex flex-col gap-1.5 px-4 py-2.5 transition-colors duration-75',
        chosen
          ? 'before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent'
          : 'hover:bg-sunken/60',
      )}
    >
      <div className="flex min-w-0 items-center gap-2">
        <Link
          data-entry
          to="/registries"
          search={(now) => ({ ...now, tab: 'catalog', repo: ref })}
          aria-current={chosen || undefined}
          onPointerDown={() => prefetch(ref)}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onOpen(ref)
          }}
          className={`${rowLink} min-w-0 truncate text-sm`}
        >
          {title}
        </Link>
        {installed && (
          <CircleCheck role="img" aria-label={texts.installed} className="size-3.5 shrink-0 text-good" />
        )}
        {entry.gated && <Lock role="img" aria-label={texts.gated} className="size-3.5 shrink-0 text-warn" />}
        <span className="ml-auto flex shrink-0 items-center gap-2.5 text-xs text-faint">
          <Figure
            icon={<Download aria-hidden className="size-3" />}
            word={texts.downloads}
            value={badges.downloads}
          />
          <Figure icon={<Heart aria-hidden className="size-3" />} word={texts.likes} value={badges.likes} />
        </span>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <span className="max-w-40 truncate">{ownerOf(ref)}</span>
        <EntryBadges entry={entry} brief />
      </div>
    </li>
  )
}

const Figure = ({ icon, word, value }: { icon: ReactNode; word: string; value: number }) => (
  <span className="inline-flex items-center gap-1">
    {icon}
    {short(value)}
    <span className="sr-only">{word}</span>
  </span>
)

/** What it is and can do; `brief` where a line must hold it. */
export const EntryBadges = ({ entry, brief = false }: { entry: CatalogEntry; brief?: boolean }) => (
  <>
    {entry.params && <Badge>{entry.params}</Badge>}
    {entry.modality !== 'chat' && <Badge>{MODALITY_LABELS[entry.modality]}</Badge>}
    {entry.license && <Badge>{entry.license}</Badge>}
    {entry.toolCalling && <Badge tone="accent">{texts.tools}</Badge>}
    {entry.reasoning && <Badge tone="accent">{texts.thinking}</Badge>}
    {entry.vision && entry.modality !== 'vision' && <Badge tone="accent">{texts.vision}</Badge>}
    {entry.maxContext !== null && (
      <Badge tone="accent">
        {contextSize(entry.maxContext)}
        <span className={brief ? 'sr-only' : undefined}> {texts.context}</span>
      </Badge>
    )}
  </>
)
