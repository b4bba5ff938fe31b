import { useNavigate, useSearch } from '@tanstack/react-router'
import { MessagesSquare, SearchX } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { texts } from '../texts/gateway-reports'
import { Choice } from './choice'
import { groupText } from './columns'
import { useGatewaySessions, useReport } from './data'
import { SessionTable } from './session-table'
import { SetupGuide } from './setup-guide'

export function SessionsTab() {
  const { developer, project } = useSearch({ from: '/gateway' })
  const navigate = useNavigate({ from: '/gateway' })
  const list = useGatewaySessions({ developer, project })
  const sessions = list.data?.pages.flat() ?? []
  const narrowed = developer !== undefined || project !== undefined
  if (list.data && sessions.length === 0 && !narrowed) return <NoSessions />
  return (
    <Card flush>
      <Filters />
      {list.isPending && <SkeletonRows rows={6} label={texts.sessions.loading} />}
      {list.error && (
        <ErrorNotice
          error={list.error}
          title={texts.sessions.failed}
          onRetry={() => void list.refetch()}
          className="m-4"
        />
      )}
      {list.data && sessions.length === 0 && (
        <EmptyState
          icon={<SearchX aria-hidden />}
          title={texts.sessions.noMatch}
          action={
            <Button onClick={() => void navigate({ search: { tab: 'sessions' }, replace: true })}>
              {texts.sessions.showAll}
            </Button>
          }
        />
      )}
      {sessions.length > 0 && <SessionTable sessions={sessions} />}
      {list.hasNextPage && (
        <div className="flex justify-center border-t p-3">
          <Button pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {texts.sessions.showOlder}
          </Button>
        </div>
      )}
    </Card>
  )
}

function Filters() {
  const isAdmin = useAccount().role === 'admin'
  const { developer, project } = useSearch({ from: '/gateway' })
  const navigate = useNavigate({ from: '/gateway' })
  const developers = useReport({}, ['developer']).data?.rows ?? []
  const projects = useReport({}, ['project']).data?.rows ?? []
  const narrow = (change: { developer?: string; project?: string }) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  return (
    <div className="flex flex-wrap gap-2 border-b p-2">
      {isAdmin && (
        <Choice
          label={texts.fields.developer}
          any={texts.report.every.developer}
          value={developer}
          options={developers
            .filter((row) => row.developer)
            .map((row) => ({ value: row.developer!, label: groupText(row, 'developer') }))}
          onChange={(next) => narrow({ developer: next })}
        />
      )}
      <Choice
        label={texts.fields.project}
        any={texts.report.every.project}
        value={project}
        options={projects
          .filter((row) => row.project)
          .map((row) => ({ value: row.project!, label: row.project! }))}
        onChange={(next) => narrow({ project: next })}
      />
    </div>
  )
}

const NoSessions = () => (
  <div className="flex max-w-6xl flex-col gap-6">
    <Card>
      <EmptyState icon={<MessagesSquare aria-hidden />} title={texts.sessions.empty} className="py-6">
        {texts.sessions.hint}
      </EmptyState>
    </Card>
    <SetupGuide />
  </div>
)
