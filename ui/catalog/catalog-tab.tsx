import { useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Card } from '../kit/card'
import { Dialog } from '../kit/dialog'
import { useMedia } from '../kit/use-media'
import { useSettled } from '../kit/use-settled'
import { MODALITY_OPTIONS } from '../registries/labels'
import { PAGE, type Sort, useCatalog, type Wanted } from './data'
import { EntryDetail } from './entry-detail'
import { EntryList } from './entry-list'
import { Filters } from './filters'
import { SIZE_OPTIONS, SORT_OPTIONS } from './labels'
import { ChooseOne } from './placeholders'

const MOST = 100
/** A search goes out to the hub, so it waits for a pause in the typing. */
const TYPING_MS = 250

/** What can be downloaded, found by name, task and size; beside it the one that is looked at. */
export function CatalogTab({ onTry }: { onTry: (id: string) => void }) {
  const { wanted, repo, change, open } = useAddress()
  const [limit, setLimit] = useState(PAGE)
  const catalog = useCatalog({ ...wanted, search: useSettled(wanted.search.trim(), TYPING_MS), limit })
  const wide = useMedia('(min-width: 64rem)')
  const list = useRef<HTMLDivElement>(null)

  /** The arrows walk through the list, also from the search. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const isText = document.activeElement instanceof HTMLInputElement
    if (at === -1 && !(isText && event.key === 'ArrowDown')) return
    event.preventDefault()
    links[event.key === 'ArrowDown' ? at + 1 : at - 1]?.focus()
  }

  const detail = repo && <EntryDetail key={repo} repo={repo} named={!wide} onTry={onTry} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows are a shortcut; everything in it is reached by Tab
    <div className="flex min-w-0 flex-col gap-4" onKeyDown={onKeyDown}>
      <Filters wanted={wanted} onChange={change} busy={catalog.isFetching} />
      <div className="grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
        <div ref={list} className="min-w-0">
          <EntryList
            catalog={catalog}
            chosen={repo}
            onOpen={open}
            onMore={limit < MOST ? () => setLimit((now) => Math.min(MOST, now + PAGE)) : undefined}
            onReset={() => change({ search: '', modality: '', size: '' })}
          />
        </div>
        {wide && (
          <div className="sticky top-6 max-h-[calc(100dvh-3rem)] min-w-0 overflow-y-auto rounded-xl">
            <Card>{detail ?? <ChooseOne />}</Card>
          </div>
        )}
      </div>
      {!wide && repo && (
        <Dialog
          open
          onOpenChange={(is) => !is && open(undefined)}
          size="sheet"
          title={repo.split('/').at(-1)}
        >
          {detail}
        </Dialog>
      )}
    </div>
  )
}

/** What is looked for and at stands in the address, so that it can be gone back to and passed on. */
function useAddress() {
  const { search = '', task, size, sort, repo } = useSearch({ from: '/registries' })
  const navigate = useNavigate()
  const wanted: Omit<Wanted, 'limit'> = {
    search,
    modality: MODALITY_OPTIONS.find(({ value }) => value === task)?.value ?? '',
    size: SIZE_OPTIONS.find(({ value }) => value === size)?.value ?? '',
    sort: SORT_OPTIONS.find(({ value }) => value === sort)?.value ?? 'trending',
  }
  return {
    wanted,
    repo,
    change: (part: Partial<typeof wanted>) => {
      const next = { ...wanted, ...part }
      void navigate({
        to: '/registries',
        replace: true,
        search: {
          tab: 'catalog',
          search: next.search || undefined,
          task: next.modality || undefined,
          size: next.size || undefined,
          sort: next.sort === ('trending' satisfies Sort) ? undefined : next.sort,
          repo,
        },
      })
    },
    open: (next: string | undefined) =>
      void navigate({ to: '/registries', search: (now) => ({ ...now, tab: 'catalog', repo: next }) }),
  }
}
