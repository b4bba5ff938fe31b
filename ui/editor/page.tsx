import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Workflow } from 'lucide-react'
import { useRef, useState } from 'react'
import { ApiError, inference, ok } from '../api'
import { useAccount } from '../auth/data'
import type { ListedModel } from '../canvas/edit/starters'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { texts as editor } from '../texts/editor'
import { Editor } from './editor'
import { localCopies } from './local-copies'
import { type Address, openEditor } from './opening'

const texts = editor.page

/** `/editor?draft` or `?agent&version`, or a new agent; a draft wins. */
export function EditorPage() {
  const address = useSearch({ from: '/editor' })
  const readOnly = useAccount().role === 'viewer'
  const { serial, adopt } = useSerial(JSON.stringify(address))
  if (readOnly && !address.agent) return <ForEditors />
  return <Opening key={serial} address={address} adopt={adopt} readOnly={readOnly} />
}

/** A number that changes with the address, but not where the address only follows what is open. */
function useSerial(wanted: string) {
  const adopted = useRef<string | null>(null)
  const [held, setHeld] = useState({ wanted, serial: 0 })
  if (held.wanted !== wanted) {
    setHeld({ wanted, serial: adopted.current === wanted ? held.serial : held.serial + 1 })
  }
  return {
    serial: held.serial,
    adopt: (address: Address) => {
      adopted.current = JSON.stringify(address)
    },
  }
}

interface OpeningProps {
  address: Address
  adopt: (address: Address) => void
  readOnly: boolean
}

function Opening({ address, adopt, readOnly }: OpeningProps) {
  const [first] = useState(address)
  const [id] = useState(() => Math.random())
  const [tab] = useState(thisTab)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['editor', id],
    queryFn: () => openEditor(first, { copies: localCopies(localStorage), tab, models: fetchModels }),
    // What is open is nobody else's to renew.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <Editor
      start={data}
      tab={tab}
      readOnly={readOnly}
      onDraft={(draft) => {
        adopt({ draft })
        void navigate({ to: '/editor', search: { draft }, replace: true, resetScroll: false })
      }}
      onPublished={(agent, version) => {
        void queries.invalidateQueries({ queryKey: ['drafts'] })
        void navigate({ to: '/agents/$id', params: { id: agent }, search: { version } })
      }}
    />
  )
}

const TAB = 'tycho.tab'

/** Names this tab; a reload keeps it. */
function thisTab(): string {
  const known = sessionStorage.getItem(TAB)
  const tab = known ?? Math.random().toString(36).slice(2)
  sessionStorage.setItem(TAB, tab)
  return tab
}

/** Without the inference plane a document is edited all the same. */
async function fetchModels(): Promise<ListedModel[]> {
  try {
    const { models } = await ok(inference.admin.models.get())
    return models.map(({ logicalId, binding }) => ({
      logicalId,
      modality: binding.modality ?? 'chat',
      binding: binding.binding,
    }))
  } catch {
    return []
  }
}

const Loading = () => (
  <div role="status" className="flex h-full flex-col">
    <span className="sr-only">{texts.loading}</span>
    <div className="flex h-12 items-center gap-3 border-b bg-surface px-4">
      <Skeleton className="h-5 w-40" />
    </div>
  </div>
)

const ForEditors = () => (
  <Page>
    <PageHeader title={texts.title} />
    <EmptyState icon={<Workflow aria-hidden />} title={texts.forEditors}>
      {texts.forEditorsHint}
    </EmptyState>
  </Page>
)

const GONE = new Set(['draft_not_found', 'agent_not_found', 'agent_version_not_found'])

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isGone = error instanceof ApiError && GONE.has(error.code)
  return (
    <Page>
      <PageHeader title={texts.title} />
      {isGone ? (
        <EmptyState
          icon={<Workflow aria-hidden />}
          title={texts.gone}
          action={
            <Button asChild>
              <Link to="/agents">{texts.allAgents}</Link>
            </Button>
          }
        >
          {error.message} {texts.goneHint}
        </EmptyState>
      ) : (
        <ErrorNotice title={texts.failed} error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}
