import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { Page } from '#kernel/paging'
import {
  AppendedTurn,
  AppendTurn,
  EnsureSession,
  Rewind,
  Session,
  SessionList,
  SessionSummary,
} from './schema'
import type { SessionService } from './service'

interface Services {
  authenticate: Authenticate
  sessions: SessionService
}

export const sessionRoutes = ({ authenticate, sessions }: Services) =>
  new Elysia({ prefix: '/sessions' })
    .use(routeOptions(authenticate))
    .get('', ({ principal, query }) => sessions.list(principal, query), {
      role: 'viewer',
      query: Page,
      response: SessionList,
    })
    .post(
      '',
      ({ principal, body, status }) =>
        sessions.ensure(principal, body ?? {}).then((session) => status(201, session)),
      {
        role: 'viewer',
        body: EnsureSession,
        response: { 201: SessionSummary },
        errors: ['session_not_found'],
      },
    )
    .get('/:id', ({ principal, params }) => sessions.get(principal, params.id), {
      role: 'viewer',
      response: Session,
      errors: ['session_not_found'],
    })
    .delete(
      '/:id',
      ({ principal, params, status }) =>
        sessions.remove(principal, params.id).then(() => status(204, undefined)),
      { role: 'viewer', response: { 204: NoContent }, errors: ['session_not_found'] },
    )
    .post(
      '/:id/turns',
      ({ principal, params, body, status }) =>
        sessions.appendTurn(principal, params.id, body).then((turn) => status(201, turn)),
      {
        role: 'viewer',
        body: AppendTurn,
        response: { 201: AppendedTurn },
        errors: ['session_not_found'],
      },
    )
    .delete(
      '/:id/turns',
      ({ principal, params, query, status }) =>
        sessions.rewind(principal, params.id, query).then(() => status(204, undefined)),
      {
        role: 'viewer',
        query: Rewind,
        response: { 204: NoContent },
        errors: ['session_not_found'],
      },
    )
