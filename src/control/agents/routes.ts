import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { NoContent } from '#kernel/http/shapes'
import { Page } from '#kernel/paging'
import {
  AddVersion,
  Agent,
  AgentList,
  AgentVersion,
  Diff,
  DiffQuery,
  IoPolicy,
  Publish,
  PutIoPolicy,
} from './schema'
import type { AgentService } from './service'

interface Services {
  authenticate: Authenticate
  agents: AgentService
}

export const agentRoutes = ({ authenticate, agents }: Services) =>
  new Elysia({ prefix: '/agents' })
    .use(routeOptions(authenticate))
    .get('', ({ query }) => agents.list(query), { role: 'viewer', query: Page, response: AgentList })
    .post('', ({ body, status }) => agents.publish(body).then((agent) => status(201, agent)), {
      role: 'editor',
      body: Publish,
      invalid: 'invalid_ir',
      response: { 201: Agent },
      errors: ['invalid_ir', 'agent_exists'],
    })
    .get('/:id', ({ params }) => agents.get(params.id), {
      role: 'viewer',
      response: Agent,
      errors: ['agent_not_found'],
    })
    .delete('/:id', ({ params, status }) => agents.remove(params.id).then(() => status(204, undefined)), {
      role: 'editor',
      response: { 204: NoContent },
      errors: ['agent_not_found'],
    })
    .post(
      '/:id/versions',
      async ({ params, body, status }) => {
        const { agent, isNew } = await agents.addVersion(params.id, body.ir)
        return status(isNew ? 201 : 200, agent)
      },
      {
        role: 'editor',
        body: AddVersion,
        invalid: 'invalid_ir',
        response: { 200: Agent, 201: Agent },
        errors: ['agent_not_found', 'invalid_ir', 'agent_id_mismatch', 'version_conflict'],
      },
    )
    .get('/:id/versions/:version', ({ params }) => agents.version(params.id, params.version), {
      role: 'viewer',
      response: AgentVersion,
      errors: ['agent_not_found', 'agent_version_not_found'],
    })
    .get('/:id/diff', ({ params, query }) => agents.diff(params.id, query), {
      role: 'viewer',
      query: DiffQuery,
      response: Diff,
      errors: ['agent_not_found', 'agent_version_not_found'],
    })
    .get('/:id/io-policy', ({ params }) => agents.ioPolicy(params.id), {
      role: 'editor',
      response: IoPolicy,
      errors: ['agent_not_found'],
    })
    .put('/:id/io-policy', ({ params, body }) => agents.setIoPolicy(params.id, body), {
      role: 'editor',
      body: PutIoPolicy,
      response: IoPolicy,
      errors: ['agent_not_found', 'invalid_policy'],
    })
