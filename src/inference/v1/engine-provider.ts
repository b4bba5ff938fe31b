import type { ChatDialect } from '#engines/dialect'
import type { ManagedRegistration, Modality } from '#engines/engine'
import type { Lease } from '#engines/lease'
import type { Resident } from '#engines/resident'
import { AppError } from '#kernel/errors'
import { quoted } from '../models/registered'
import { type Answer, finished } from './answer'
import type { Caller } from './caller'
import { translated } from './dialect'
import { formType, writeForm } from './form'
import { brokenOff, leasedAnswer, left } from './leased-answer'
import type { Provider } from './provider'
import { recordingQueue } from './recordings'
import { tooLate, type Upstream } from './refusal'
import { renderRequest } from './render-request'
import type { Renders } from './renders'
import { providerForm, providerRequest, requestDefaults } from './request'
import { ANSWER_WITHIN_MS, send } from './send'

/** An engine that ends so soon after it was asked was dying already: it is started anew and asked again, once. */
const DYING_MS = 1_000

/** The one path that an engine is asked at, by what its model is for. */
const PATHS: Record<Modality, string> = {
  chat: '/chat/completions',
  vision: '/chat/completions',
  embeddings: '/embeddings',
  'audio.transcription': '/audio/transcriptions',
  'audio.speech': '/audio/speech',
  'images.generation': '/images/generations',
}

interface Deps {
  resident: Pick<Resident, 'acquire' | 'model'>
  renders: Renders
  version: string
  answerWithinMs?: number
}

interface Content {
  body: BodyInit
  contentType: string
  /** Where its answer has a time limit of its own. */
  withinMs?: number
}

export type EngineProvider = ReturnType<typeof engineProvider>

/** What serves a model of this machine: its engine, leased from the first byte of the request to the last of the answer. */
export function engineProvider({ resident, renders, version, answerWithinMs }: Deps) {
  const recordings = recordingQueue(answerWithinMs)

  async function acquire(id: string, { signal, load }: Caller): Promise<Lease> {
    const isThere = resident.model(id).resident
    const askedAt = performance.now()
    if (!isThere) load.model = id
    try {
      return await resident.acquire(id, signal)
    } catch (error) {
      throw signal.aborted && !(error instanceof AppError) ? left() : error
    } finally {
      load.model = null
      if (!isThere) load.tookMs += performance.now() - askedAt
    }
  }

  /** @throws {EngineGone} where the engine was dead before it could do anything */
  async function ask(
    id: string,
    path: string,
    { body, contentType, withinMs = answerWithinMs ?? ANSWER_WITHIN_MS }: Content,
    lease: Lease,
    caller: Caller,
  ): Promise<Answer> {
    const upstream: Upstream = {
      name: `The engine of ${quoted(id)}`,
      key: null,
      hint404: 'Its model does not do this.',
    }
    const askedAt = performance.now()
    const noAnswer = async (error: unknown, late: boolean) => {
      const wasDying = performance.now() - askedAt < DYING_MS
      if (late) {
        const failure = tooLate(upstream)
        lease.condemn(failure)
        return failure
      }
      if ((error as { code?: string }).code === 'ConnectionRefused') {
        const gone = new EngineGone('engine_unavailable', `${upstream.name} has ended.`)
        lease.condemn(gone)
        return gone
      }
      const failure = await brokenOff(upstream, error, lease, caller)
      return wasDying && lease.signal.aborted ? new EngineGone(failure.code, failure.message) : failure
    }
    try {
      const response = await send({
        upstream,
        url: lease.baseUrl + path,
        headers: {
          'content-type': contentType,
          'user-agent': `tycho/${version}`,
          ...(caller.runId === null ? {} : { 'x-service-run-id': caller.runId }),
        },
        body,
        signals: [caller.signal, lease.signal],
        answerWithinMs: withinMs,
        // llama-server closes idle connections, and a request on one of those fails.
        keepalive: lease.plan.kind === 'server' && lease.plan.keepsConnections === true,
        noAnswer,
      })
      return leasedAnswer(response, upstream, lease, caller)
    } catch (error) {
      lease.release()
      throw error
    }
  }

  async function serve(
    id: string,
    path: string,
    content: (of: Lease) => Content,
    caller: Caller,
  ): Promise<Answer> {
    const attempt = async () => {
      const lease = await acquire(id, caller)
      return await ask(id, path, content(lease), lease, caller)
    }
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof EngineGone && !caller.signal.aborted) return await attempt()
      throw error
    }
  }

  return (id: string, registration: ManagedRegistration): Provider => ({
    async post(path, request, caller) {
      const { modality, params } = registration
      checkPath(id, modality, path)
      if (modality === 'images.generation') {
        const wanted = renderRequest(providerRequest(request, registration.model, requestDefaults(params)))
        await using lease = await acquire(id, caller)
        return finished(await renders.render(wanted, lease, caller.signal))
      }
      let dialect: ChatDialect | undefined
      const content = ({ registration: { model, params }, plan }: Lease) => {
        dialect = plan.kind === 'server' ? plan.dialect : undefined
        const body = providerRequest(request, model, requestDefaults(params))
        return { body: JSON.stringify(dialect?.request(body) ?? body), contentType: 'application/json' }
      }
      const answer = await serve(id, path, content, caller)
      return dialect ? await translated(answer, dialect.reader(request)) : answer
    },

    async postForm(path, form, caller) {
      checkPath(id, registration.modality, path)
      using place = recordings.enter(id, form)
      const content = ({ registration: { model, params } }: Lease) => ({
        body: writeForm(providerForm(form, model, requestDefaults(params))),
        contentType: formType(form),
        withinMs: place.withinMs,
      })
      return await serve(id, path, content, caller)
    },
  })
}

/** The engine was dead, or about to be, when it was asked. */
class EngineGone extends AppError {}

/** Before an engine is loaded for what it cannot do. */
function checkPath(id: string, modality: Modality, path: string): void {
  if (PATHS[modality] === path) return
  throw new AppError(
    'modality_not_supported',
    `${quoted(id)} is registered for ${modality} and answers at /v1${PATHS[modality]} only.`,
  )
}
