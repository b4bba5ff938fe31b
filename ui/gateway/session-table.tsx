import { Link } from '@tanstack/react-router'
import type { GatewaySession } from '../../src/control/gateways/reports/schema'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { RelativeTime } from '../kit/relative-time'
import { Cell, HeadCell, Row, rowLink, Table, TableBody, TableHead } from '../kit/table'
import { texts } from '../texts/gateway-reports'
import { count, short } from '../texts/words'
import { clientName, costText, developerName, tokensOf } from './format'

const NUMBER = 'text-right whitespace-nowrap'

/** Sessions of client tools; each row leads to its timeline. Viewers have but their own, so nobody is named. */
export function SessionTable({ sessions }: { sessions: readonly GatewaySession[] }) {
  const isAdmin = useAccount().role === 'admin'
  return (
    <Table label={texts.sessions.title}>
      <TableHead>
        <HeadCell>{texts.fields.project}</HeadCell>
        {isAdmin && <HeadCell>{texts.fields.developer}</HeadCell>}
        <HeadCell>{texts.fields.client}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.turns}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.requests}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.tokens}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.cost}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.errors}</HeadCell>
        <HeadCell className={NUMBER}>{texts.fields.lastActivity}</HeadCell>
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
        title={texts.sessions.linkTitle(session.id)}
      >
        {session.project || texts.sessions.noProject}
      </Link>
      {session.archived && <Badge className="ml-2">{texts.sessions.archived}</Badge>}
      <div className="truncate text-xs text-muted">{session.model || texts.values.noModel}</div>
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
