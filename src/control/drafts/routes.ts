import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { CreateDraft, Draft, DraftList, DraftPage, ReplaceDraft } from './schema'
import type { DraftService } from './service'

interface Services {
  authenticate: Authenticate
  drafts: DraftService
}

export const draftRoutes = ({ authenticate, drafts }: Services) =>
  new Elysia({ prefix: '/drafts' })
    .use(routeOptions(authenticate))
    .get('', ({ query }) => drafts.list(query), { role: 'editor', query: DraftPage, response: DraftList })
    .post('', ({ body, status }) => drafts.create(body).then((draft) => status(201, draft)), {
      role: 'editor',
      body: CreateDraft,
      invalid: 'invalid_draft',
      response: { 201: Draft },
      errors: ['invalid_draft'],
    })
    .get('/:id', ({ params }) => drafts.get(params.id), {
      role: 'editor',
      response: Draft,
      errors: ['draft_not_found'],
    })
    .put('/:id', ({ params, body }) => drafts.replace(params.id, body), {
      role: 'editor',
      body: ReplaceDraft,
      invalid: 'invalid_draft',
      response: Draft,
      errors: ['invalid_draft', 'draft_not_found'],
    })
    .delete('/:id', ({ params, status }) => drafts.remove(params.id).then(() => status(204, undefined)), {
      role: 'editor',
      response: { 204: NoContent },
      errors: ['draft_not_found'],
    })
