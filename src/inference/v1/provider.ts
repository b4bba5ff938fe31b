import type { CredentialService } from '../credentials/service'
import type { RemoteRegistration } from '../models/schema'
import type { Answer } from './answer'
import type { Caller } from './caller'
import { type Form, formType, writeForm } from './form'
import { brokeOff, tooLate, type Upstream, unreachable } from './refusal'
import { type ModelRequest, providerForm, providerRequest, requestDefaults } from './request'
import { ANSWER_WITHIN_MS, send } from './send'

/**
 * What serves one registered model. It takes a request to the provider or engine, with that one's own name of the model
 * and the registration's defaults, and waits until it answers; only a success is returned, its body unread. When the
 * caller leaves, the request ends at once.
 * @throws {AppError} `upstream_error`, `upstream_timeout`, `modality_not_supported`; those of engines besides
 */
export interface Provider {
  post(path: string, request: ModelRequest, caller: Caller): Promise<Answer>
  postForm(path: string, form: Form, caller: Caller): Promise<Answer>
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
    const base = baseUrl.replace(/\/+$/, '')
    const key = credentials.resolve(credentialRef)
    const upstream: Upstream = {
      name: `The provider at ${base}`,
      key,
      hint404: 'Either the model does not do this, or its baseUrl lacks the API prefix /v1.',
    }
    const ask = async (
      path: string,
      body: BodyInit,
      contentType: string,
      { signal }: Caller,
    ): Promise<Answer> => {
      const response = await send({
        upstream,
        url: base + path,
        // Nothing of the caller's own headers goes on: they are about this plane, not about the provider.
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': contentType,
          'user-agent': `tycho/${version}`,
        },
        body,
        signals: [signal],
        answerWithinMs,
        keepalive: true,
        noAnswer: (error, late) => (late ? tooLate(upstream) : unreachable(upstream, error)),
      })
      return { response, end() {}, failure: (error) => brokeOff(upstream, error) }
    }
    return {
      post: (path, request, caller) =>
        ask(path, JSON.stringify(providerRequest(request, model, defaults)), 'application/json', caller),
      postForm: (path, form, caller) =>
        ask(path, writeForm(providerForm(form, model, defaults)), formType(form), caller),
    }
  }
}
