import { AppError } from '#kernel/errors'
import type { CredentialService } from '../credentials/service'
import type { RemoteRegistration } from '../models/schema'
import { type Form, formType, writeForm } from './form'
import { refusal, tooLate, unreachable } from './refusal'
import { type ModelRequest, providerForm, providerRequest, requestDefaults } from './request'

/** A model may think long before it says anything, a render even longer; a provider that is gone must not hold us. */
const ANSWER_WITHIN_MS = 20 * 60_000

/**
 * What serves one registered model. It takes a request to the provider, with the provider's own name of the model and
 * the registration's defaults, and waits until that answers; only a success is returned, its body unread. `signal`
 * fires when the caller leaves: the provider's request ends at once.
 * @throws {AppError} `upstream_error`, `upstream_timeout`, `modality_not_supported`
 */
export interface Provider {
  post(path: string, request: ModelRequest, signal: AbortSignal): Promise<Response>
  postForm(path: string, form: Form, signal: AbortSignal): Promise<Response>
}

interface Deps {
  credentials: Pick<CredentialService, 'resolve'>
  version: string
  answerWithinMs?: number
}

export type RemoteProvider = ReturnType<typeof remoteProvider>

/** @throws {AppError} `credential_error`, when the provider is named */
export function remoteProvider({ credentials, version, answerWithinMs = ANSWER_WITHIN_MS }: Deps) {
  return ({ baseUrl, credentialRef, model, params }: RemoteRegistration): Provider => {
    const defaults = requestDefaults(params)
    const send = sender(
      baseUrl.replace(/\/+$/, ''),
      credentials.resolve(credentialRef),
      version,
      answerWithinMs,
    )
    return {
      post: (path, request, signal) =>
        send(path, JSON.stringify(providerRequest(request, model, defaults)), 'application/json', signal),
      postForm: (path, form, signal) =>
        send(path, writeForm(providerForm(form, model, defaults)), formType(form), signal),
    }
  }
}

function sender(base: string, key: string, version: string, answerWithinMs: number) {
  return async (
    path: string,
    body: BodyInit,
    contentType: string,
    signal: AbortSignal,
  ): Promise<Response> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), answerWithinMs)
    try {
      const request = {
        method: 'POST',
        // Nothing of the caller's own headers goes on: they are about this plane, not about the provider.
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': contentType,
          'user-agent': `tycho/${version}`,
          // Compressed streams arrive in lumps.
          'accept-encoding': 'identity',
        },
        body,
        // A redirect would take the key to an address that nobody registered.
        redirect: 'manual' as const,
        signal: AbortSignal.any([signal, late.signal]),
        // Bun's own limit of silence is shorter than some models think.
        timeout: false,
      }
      const response = await fetch(base + path, request)
      if (response.ok) return response
      throw await refusal(response, base, key)
    } catch (error) {
      if (error instanceof AppError) throw error
      throw late.signal.aborted ? tooLate(base) : unreachable(base, error)
    } finally {
      clearTimeout(timer)
    }
  }
}
