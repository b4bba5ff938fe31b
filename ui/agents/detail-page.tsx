import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, FileJson, MessageSquare, Pencil, Play, Trash2, Workflow } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../src/control/agents/schema'
import { ApiError } from '../api'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Tabs } from '../kit/tabs'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts } from '../texts/agents'
import { TriggersPane } from '../triggers/pane'
import { StartDialog } from '../waiting/start'
import { ComparePane } from './compare-pane'
import { useAgent } from './data'
import { DeleteAgents } from './delete-agents'
import { PolicyPane } from './policy-pane'
import { PublishDialog } from './publish-dialog'
import { VersionsPane } from './versions-pane'

const TABS = [
  { value: 'versions', label: texts.detail.tabs.versions },
  { value: 'compare', label: texts.detail.tabs.compare },
  { value: 'triggers', label: texts.detail.tabs.triggers },
  { value: 'capture', label: texts.detail.tabs.capture },
] as const
type Tab = (typeof TABS)[number]['value']

export function AgentPage() {
  const { id } = useParams({ from: '/agents/$id' })
  const { data: agent, error, refetch } = useAgent(id)
  if (error) return <Failed id={id} error={error} onRetry={() => void refetch()} />
  if (agent) return <Loaded key={id} agent={agent} />
  return (
    <Page>
      <PageHeader title={texts.detail.title} back={back} />
      <div role="status" className="flex flex-col gap-4">
        <span className="sr-only">{texts.detail.loading}</span>
        <Skeleton className="h-8 w-1/2" />
        <Skeleton className="h-64 w-full rounded-xl" />
      </div>
    </Page>
  )
}

const back = (
  <Link to="/agents" className="inline-flex items-center gap-1.5 hover:text-text">
    <ArrowLeft aria-hidden className="size-3.5" />
    {texts.title}
  </Link>
)

function Loaded({ agent }: { agent: Agent }) {
  const { tab } = useSearch({ from: '/agents/$id' })
  const mayBuild = useAccount().role !== 'viewer'
  // Triggers and the policy are for those who may change them.
  const tabs = TABS.filter(({ value }) => mayBuild || (value !== 'capture' && value !== 'triggers'))
  const chosen = tabs.find(({ value }) => value === tab)?.value ?? 'versions'
  const navigate = useNavigate()
  const show = (next: Tab) =>
    void navigate({
      to: '/agents/$id',
      params: { id: agent.id },
      search: next === 'versions' ? {} : { tab: next },
      replace: true,
    })
  return (
    <Page>
      <PageHeader
        title={agent.name}
        back={back}
        aside={
          <span className="flex max-w-40 min-w-0">
            <Badge>{agent.versions[0]!.version}</Badge>
          </span>
        }
        description={
          <Worded
            text={texts.detail.description}
            with={{
              id: <code className="break-all">{agent.id}</code>,
              created: <RelativeTime value={agent.created_at} />,
              updated: <RelativeTime value={agent.updated_at} />,
            }}
          />
        }
        actions={
          <>
            <Use agent={agent} />
            {mayBuild ? <Actions agent={agent} /> : <Look id={agent.id} />}
          </>
        }
      />
      <Tabs label={texts.detail.parts} value={chosen} onChange={show} tabs={tabs}>
        {chosen === 'versions' && <VersionsPane agent={agent} />}
        {chosen === 'compare' && <ComparePane agent={agent} />}
        {chosen === 'triggers' && <TriggersPane agent={agent} />}
        {chosen === 'capture' && <PolicyPane id={agent.id} />}
      </Tabs>
    </Page>
  )
}

/** What everybody may do with an agent. */
function Use({ agent }: { agent: Agent }) {
  const [running, setRunning] = useState(false)
  return (
    <>
      <Button asChild>
        <Link to="/chat" search={{ agent: agent.id }}>
          <MessageSquare aria-hidden className="size-4" />
          {texts.chat}
        </Link>
      </Button>
      <Button icon={<Play aria-hidden className="size-4" />} onClick={() => setRunning(true)}>
        {texts.detail.run}
      </Button>
      {running && <StartDialog agentId={agent.id} name={agent.name} onClose={() => setRunning(false)} />}
    </>
  )
}

/** Who may not change it may still see how it is made. */
const Look = ({ id }: { id: string }) => (
  <Button asChild>
    <Link to="/editor" search={{ agent: id }}>
      <Workflow aria-hidden className="size-4" />
      {texts.look}
    </Link>
  </Button>
)

function Actions({ agent }: { agent: Agent }) {
  const { version } = useSearch({ from: '/agents/$id' })
  const [open, setOpen] = useState<'publish' | 'delete' | null>(null)
  const navigate = useNavigate()
  const toast = useToast()
  const close = () => setOpen(null)
  return (
    <>
      <IconButton
        label={texts.detail.delete}
        variant="secondary"
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={() => setOpen('delete')}
      />
      <Button icon={<FileJson aria-hidden className="size-4" />} onClick={() => setOpen('publish')}>
        {texts.detail.publish}
      </Button>
      <Button asChild variant="primary">
        <Link to="/editor" search={{ agent: agent.id, version: version ?? agent.versions[0]!.version }}>
          <Pencil aria-hidden className="size-4" />
          {texts.edit}
        </Link>
      </Button>
      {open === 'publish' && (
        <PublishDialog
          onClose={close}
          onPublished={({ id }, version) => {
            close()
            toast(texts.published(id, version))
            void navigate({ to: '/agents/$id', params: { id } })
          }}
        />
      )}
      {open === 'delete' && (
        <DeleteAgents agents={[agent]} onClose={close} onDeleted={() => void navigate({ to: '/agents' })} />
      )}
    </>
  )
}

function Failed({ id, error, onRetry }: { id: string; error: unknown; onRetry: () => void }) {
  const isGone = error instanceof ApiError && error.code === 'agent_not_found'
  return (
    <Page>
      <PageHeader title={texts.detail.title} back={back} />
      {isGone ? (
        <EmptyState
          icon={<Workflow aria-hidden />}
          title={texts.detail.missing}
          action={
            <Button asChild>
              <Link to="/agents">{texts.detail.all}</Link>
            </Button>
          }
        >
          <Worded text={texts.detail.missingHint} with={{ id: <code className="break-all">{id}</code> }} />
        </EmptyState>
      ) : (
        <ErrorNotice title={texts.detail.failed} error={error} onRetry={onRetry} />
      )}
    </Page>
  )
}
