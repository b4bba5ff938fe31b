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
import { texts } from '../texts/agents'
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
      return toast(texts.list.severalPublished(count))
    }
    toast(texts.published(id, version))
    void navigate({ to: '/agents/$id', params: { id } })
  }

  const publish = mayBuild && (
    <>
      <Button icon={<FileJson aria-hidden className="size-4" />} onClick={() => setPublishing(true)}>
        {texts.publishFromJson}
      </Button>
      <Button asChild variant="primary">
        <Link to="/editor">
          <Plus aria-hidden className="size-4" />
          {texts.list.new}
        </Link>
      </Button>
    </>
  )
  const isEmpty = agents.data?.pages[0]?.length === 0
  return (
    <Page>
      <PageHeader
        title={texts.title}
        description={texts.list.description}
        actions={
          mayBuild &&
          !isEmpty && (
            <>
              <Button asChild>
                <Link to="/triggers">
                  <Zap aria-hidden className="size-4" />
                  {texts.list.triggers}
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
          <SkeletonRows rows={6} label={texts.list.loading} />
        </Card>
      )}
      {agents.error && (
        <ErrorNotice
          error={agents.error}
          title={texts.list.failed}
          onRetry={() => void (agents.data ? agents.fetchNextPage() : agents.refetch())}
        />
      )}
      {isEmpty && (
        <Card>
          <EmptyState
            icon={<Workflow aria-hidden />}
            title={texts.list.empty}
            action={
              mayBuild && (
                <>
                  <SamplesLink />
                  {publish}
                </>
              )
            }
          >
            {mayBuild ? texts.list.hint : texts.list.viewerHint}
          </EmptyState>
        </Card>
      )}
      {agents.data && !isEmpty && <AgentList query={agents} mayBuild={mayBuild} />}
      {publishing && <PublishDialog onClose={() => setPublishing(false)} onPublished={published} />}
    </Page>
  )
}
