import { Link, useNavigate } from '@tanstack/react-router'
import { FileJson, Plus, Workflow, Zap } from 'lucide-react'
import { useState } from 'react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { SamplesLink } from '../samples/samples-link'
import { useAgents } from './data'
import { DraftsStrip } from './drafts-strip'
import { AgentList } from './list'
import { PublishDialog } from './publish-dialog'

export function AgentsPage() {
  const agents = useAgents()
  const mayBuild = useAccount().role !== 'viewer'
  const [publishing, setPublishing] = useState(false)
  const navigate = useNavigate()
  const toast = useToast()

  function published({ id }: { id: string }, version: string, count: number) {
    if (count > 1) {
      setPublishing(false)
      return toast(`${count} agents are published.`)
    }
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
      {agents.isPending && (
        <Card flush>
          <SkeletonRows rows={6} label="Loading the agents" />
        </Card>
      )}
      {agents.error && (
        <ErrorNotice
          error={agents.error}
          title="The agents could not be loaded"
          onRetry={() => void (agents.data ? agents.fetchNextPage() : agents.refetch())}
        />
      )}
      {isEmpty && (
        <Card>
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
        </Card>
      )}
      {agents.data && !isEmpty && <AgentList query={agents} mayBuild={mayBuild} />}
      {publishing && <PublishDialog onClose={() => setPublishing(false)} onPublished={published} />}
    </Page>
  )
}
