import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { blobAnswer } from './answer'
import { Artifact, Blob, PartOfBlob, PlacedArtifact, rawBody } from './schema'
import type { ArtifactService } from './service'

/** Bodies of these are bytes of any type: read by the route, once its caller is known. */
export const UPLOAD_ROUTES = ['/artifacts', '/artifacts/:ref']

const uploadErrors = ['empty_artifact', 'incomplete_upload', 'payload_too_large', 'storage_full'] as const

export const artifactRoutes = ({
  authenticate,
  artifacts,
}: {
  authenticate: Authenticate
  artifacts: ArtifactService
}) =>
  new Elysia({ prefix: '/artifacts' })
    .use(routeOptions(authenticate))
    .post('', ({ request, status }) => artifacts.upload(request).then((made) => status(201, made)), {
      role: 'viewer',
      errors: uploadErrors,
      detail: rawBody,
      response: { 201: Artifact },
    })
    .get(
      '/:ref',
      ({ params, request }) => artifacts.read(params.ref).then((found) => blobAnswer(found, request)),
      {
        role: 'viewer',
        errors: ['invalid_artifact_ref', 'artifact_not_found', 'range_not_satisfiable'],
        response: { 200: Blob, 206: PartOfBlob },
      },
    )
    .put(
      '/:ref',
      async ({ params, request, status }) => {
        const placed = await artifacts.place(params.ref, request)
        return status(placed.created ? 201 : 200, placed)
      },
      {
        role: 'viewer',
        errors: ['invalid_artifact_ref', ...uploadErrors],
        detail: rawBody,
        response: { 200: PlacedArtifact, 201: PlacedArtifact },
      },
    )
