import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { Nullable } from '#kernel/http/shapes'
import { runAnswer } from './answer'
import { GRAPH_ERRORS } from './errors'
import type { GraphRunService } from './graphs'
import { invokeGate } from './invoke-gate'
import { Rerun, RunGraph, RunResult, StartAgentRun, StartGraphRun } from './schema'

interface Deps {
  authenticate: Authenticate
  invokeToken: string | undefined
  graphRuns: GraphRunService
}

const AGENT_RUN = {
  body: StartAgentRun,
  response: RunResult,
  errors: ['agent_not_found', 'agent_version_not_found', ...GRAPH_ERRORS],
} as const

export const graphRunRoutes = ({ authenticate, invokeToken, graphRuns }: Deps) =>
  new Elysia()
    .use(routeOptions(authenticate))
    .use(invokeGate({ authenticate, invokeToken }))
    .post(
      '/graphs/runs',
      async ({ principal, body, request }) =>
        runAnswer(body, await graphRuns.inline(principal, body, request.signal)),
      {
        role: 'editor',
        invalid: 'invalid_ir',
        body: StartGraphRun,
        response: RunResult,
        errors: GRAPH_ERRORS,
      },
    )
    .post(
      '/agents/:id/runs',
      async ({ principal, params, body, request }) =>
        runAnswer(body, await graphRuns.ofAgent(principal, params.id, body, request.signal)),
      { role: 'viewer', ...AGENT_RUN },
    )
    .post(
      '/agents/:id/invoke',
      async ({ caller, params, body, request }) =>
        runAnswer(
          { stream: body.stream ?? false },
          await graphRuns.ofAgent(caller, params.id, body, request.signal),
        ),
      {
        invoker: true,
        open: 'its own gate: an API key or the deployment’s invoke token',
        ...AGENT_RUN,
        errors: ['unauthorized', ...AGENT_RUN.errors],
      },
    )
    .get('/runs/:id/graph', ({ principal, params }) => graphRuns.graphOf(principal, params.id), {
      role: 'viewer',
      response: RunGraph,
      errors: ['run_not_found'],
    })
    .post(
      '/runs/:id/rerun',
      async ({ principal, params, body, request }) => {
        const options = body ?? {}
        return runAnswer(options, await graphRuns.rerun(principal, params.id, options, request.signal))
      },
      {
        role: 'viewer',
        body: Nullable(Rerun),
        response: RunResult,
        errors: ['run_not_found', 'step_not_found', 'outputs_not_recorded', ...GRAPH_ERRORS],
      },
    )
