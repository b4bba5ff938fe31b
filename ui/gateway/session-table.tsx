import { Link } from '@tanstack/react-router'
import type { GatewaySession } from '../../src/control/gateways/reports/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { RelativeTime } from '../kit/relative-time'
import { Cell, HeadCell, Row, rowLink, Table, TableBody, TableHead } from '../kit/table'
import { clientName, costText, count, developerName, short, tokensOf } from './format'

const NUMBER = 'text-right whitespace-nowrap'

/** Sessions of client tools; each row leads to its timeline. Viewers have but their own, so nobody is named. */
export function SessionTable({ sessions }: { sessions: readonly GatewaySession[] }) {
  const isAdmin = useAccount().role === 'admin'
  return (
    <Table label="Sessions of coding tools">
      <TableHead>
        <HeadCell>Project</HeadCell>
        {isAdmin && <HeadCell>Developer</HeadCell>}
        <HeadCell>Client</HeadCell>
        <HeadCell className={NUMBER}>Turns</HeadCell>
        <HeadCell className={NUMBER}>Requests</HeadCell>
        <HeadCell className={NUMBER}>Tokens</HeadCell>
        <HeadCell className={NUMBER}>Cost</HeadCell>
        <HeadCell className={NUMBER}>Errors</HeadCell>
        <HeadCell className={NUMBER}>Last activity</HeadCell>
      </TableHead>
      <TableBody>
        {sessions.map((session) => (
          <SessionRow key={`${session.developer}/${session.id}`} session={session} named={isAdmin} />
        ))}
      </TableBody>
    </Table>
  )
}

const SessionRow = ({ session, named }: { session: GatewaySession; named: boolean }) => (
  <Row>
    <Cell className="max-w-64 min-w-36">
      <Link
        to="/gateway/sessions/$id"
        params={{ id: session.id }}
        className={rowLink}
        title={`Session ${session.id}`}
      >
        {session.project || 'No project'}
      </Link>
      {session.archived && <Badge className="ml-2">archived</Badge>}
      <div className="truncate text-xs text-muted">{session.model || 'no model'}</div>
    </Cell>
    {named && (
      <Cell className="whitespace-nowrap text-muted">
        {developerName(session.developer_name, session.developer)}
      </Cell>
    )}
    <Cell className="whitespace-nowrap text-muted">{clientName(session.client)}</Cell>
    <Cell className={NUMBER}>{count(session.turns)}</Cell>
    <Cell className={NUMBER}>{count(session.requests)}</Cell>
    <Cell className={NUMBER}>{short(tokensOf(session))}</Cell>
    <Cell className={`${NUMBER} ${session.unpriced > 0 ? 'text-muted' : ''}`}>{costText(session)}</Cell>
    <Cell className={`${NUMBER} ${session.errors > 0 ? 'font-medium text-bad' : 'text-muted'}`}>
      {count(session.errors)}
    </Cell>
    <Cell className={`${NUMBER} text-muted`}>
      <RelativeTime value={session.last_at} />
    </Cell>
  </Row>
)
