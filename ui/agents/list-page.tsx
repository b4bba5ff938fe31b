import { Link, useNavigate } from '@tanstack/react-router'
import { FileJson, Plus, SearchX, Trash2, Workflow, Zap } from 'lucide-react'
import { useState } from 'react'
import type { AgentSummary } from '../../src/control/agents/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { useToast } from '../kit/toasts'
import { SamplesLink } from '../samples/samples-link'
import { useAgents } from './data'
import { DeleteAgent } from './delete-agent'
import { DraftsStrip } from './drafts-strip'
import { PublishDialog } from './publish-dialog'

export function AgentsPage() {
  const agents = useAgents()
  const mayBuild = useAccount().role !== 'viewer'
  const [publishing, setPublishing] = useState(false)
  const navigate = useNavigate()
  const toast = useToast()

  function published({ id }: { id: string }, version: string) {
    toast(`${id} ${version} is published.`)
    void navigate({ to: '/agents/$id', params: { id } })
  }

  const publish = mayBuild && (
    <>
      <Button icon={<FileJson aria-hidden className="size-4" />} onClick={() => setPublishing(true)}>
        Publish from JSON
      </Button>
      <Button asChild variant="primary">
        <Link to="/editor">
          <Plus aria-hidden className="size-4" />
          New agent
        </Link>
      </Button>
    </>
  )
  const isEmpty = agents.data?.pages[0]?.length === 0
  return (
    <Page>
      <PageHeader
        title="Agents"
        description="Graphs of steps, published in versions that never change."
        actions={
          mayBuild &&
          !isEmpty && (
            <>
              <Button asChild>
                <Link to="/triggers">
                  <Zap aria-hidden className="size-4" />
                  Triggers
                </Link>
              </Button>
              {publish}
            </>
          )
        }
      />
      {mayBuild && <DraftsStrip onPublished={published} />}
      <Card flush>
        {agents.isPending && <SkeletonRows rows={6} label="Loading the agents" />}
        {agents.error && (
          <ErrorNotice
            error={agents.error}
            title="The agents could not be loaded"
            onRetry={() => void agents.refetch()}
            className="m-4"
          />
        )}
        {isEmpty && (
          <EmptyState
            icon={<Workflow aria-hidden />}
            title="No agents yet"
            action={
              mayBuild && (
                <>
                  <SamplesLink />
                  {publish}
                </>
              )
            }
          >
            {mayBuild
              ? 'An agent is a graph of models, tools and decisions. A new one works as it is, and a sample shows more; publish it, and everybody here can run it.'
              : 'What an editor publishes shows up here, ready to run.'}
          </EmptyState>
        )}
        {agents.data && !isEmpty && (
          <AgentList
            agents={agents.data.pages.flat()}
            mayDelete={mayBuild}
            more={agents.hasNextPage}
            loadingMore={agents.isFetchingNextPage}
            onMore={() => void agents.fetchNextPage()}
          />
        )}
      </Card>
      {publishing && <PublishDialog onClose={() => setPublishing(false)} onPublished={published} />}
    </Page>
  )
}

interface AgentListProps {
  agents: AgentSummary[]
  mayDelete: boolean
  more: boolean
  loadingMore: boolean
  onMore: () => void
}

function AgentList({ agents, mayDelete, more, loadingMore, onMore }: AgentListProps) {
  const [text, setText] = useState('')
  const [leaving, setLeaving] = useState<AgentSummary | null>(null)
  const wanted = text.trim().toLowerCase()
  const matching = agents.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted))
  return (
    <>
      <div className="flex items-center gap-2 border-b p-2">
        <Input
          type="search"
          aria-label="Find by name or id"
          placeholder="Find by name or id…"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="max-w-72 flex-1"
        />
        {wanted !== '' && (
          <span className="ml-auto px-2 text-xs text-faint" role="status">
            {matching.length} of {agents.length} loaded
          </span>
        )}
      </div>
      {matching.length === 0 && (
        <EmptyState
          icon={<SearchX aria-hidden />}
          title="No loaded agent fits"
          action={<Button onClick={() => setText('')}>Show all</Button>}
        >
          The search looks at the agents loaded so far.
        </EmptyState>
      )}
      <ul aria-label="Agents" className="divide-y divide-line">
        {matching.map((agent) => (
          <AgentRow key={agent.id} agent={agent} onDelete={mayDelete ? () => setLeaving(agent) : undefined} />
        ))}
      </ul>
      {more && (
        <div className="flex justify-center border-t p-3">
          <Button pending={loadingMore} onClick={onMore}>
            Show older ones
          </Button>
        </div>
      )}
      {leaving && <DeleteAgent agent={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

const AgentRow = ({ agent, onDelete }: { agent: AgentSummary; onDelete: (() => void) | undefined }) => (
  <li className="relative flex items-center gap-3 px-4 py-2.5 transition-colors duration-75 hover:bg-sunken/60">
    <Workflow aria-hidden className="size-4 shrink-0 text-faint" />
    <div className="min-w-0 flex-1">
      <Link to="/agents/$id" params={{ id: agent.id }} className={`${rowLink} block truncate text-sm`}>
        {agent.name}
      </Link>
      <p className="flex min-w-0 gap-2 text-xs text-muted">
        <span className="truncate font-mono">{agent.id}</span>
        <span className="shrink-0">
          {agent.version_count === 1 ? '1 version' : `${agent.version_count} versions`}
        </span>
      </p>
    </div>
    <span className="flex max-w-32 min-w-0 max-sm:hidden">
      <Badge>{agent.latest_version}</Badge>
    </span>
    <RelativeTime
      value={agent.updated_at}
      className="w-24 shrink-0 text-right text-xs whitespace-nowrap text-faint max-sm:hidden"
    />
    {onDelete && (
      <IconButton
        size="sm"
        label={`Delete ${agent.name.slice(0, 60)}`}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={onDelete}
        className="relative"
      />
    )}
  </li>
)
