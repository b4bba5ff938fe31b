import { expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { INFERENCE_STATUSES } from '#kernel/errors'
import { openApiDocument } from '#kernel/http/openapi'
import { controlEnvelope, inferenceEnvelope, openRouteOptions, planeDefaults } from '#kernel/http/plane'
import { silentLogger } from '#kernel/log'

const planes = {
  control: { envelope: controlEnvelope, statuses: {} },
  inference: { envelope: inferenceEnvelope, statuses: INFERENCE_STATUSES },
}
const installer = ({ envelope, statuses }: (typeof planes)[keyof typeof planes]) =>
  new Elysia()
    .use(planeDefaults({ envelope, statuses, maxBodyBytes: 1_000, log: silentLogger() }))
    .use(openRouteOptions())
    .post('/install', () => 'done', {
      open: 'a test',
      body: t.Object({ ids: t.Array(t.String()) }),
      invalid: 'invalid_install',
      response: t.String(),
    })

test.each([
  ['control', 400],
  ['inference', 422],
] as const)(
  'an installation of the wrong shape is, on the %s plane, %d; its document says so',
  async (plane, status) => {
    const app = installer(planes[plane])
    const request = new Request('http://localhost/install', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const answer = await app.handle(request)
    expect([answer.status, (await answer.json()).error.code]).toEqual([status, 'invalid_install'])
    const { paths } = openApiDocument(app, {
      title: plane,
      version: '1',
      errorSchema: {},
      secured: false,
      statuses: planes[plane].statuses,
    })
    const { responses } = paths['/install']!.post as { responses: Record<string, unknown> }
    expect(responses[status]).toMatchObject({ description: expect.stringContaining('`invalid_install`') })
  },
)
