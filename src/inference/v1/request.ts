import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import { LAUNCH_PARAMS } from '../models/registration'
import { type Form, textPart } from './form'

/** A request of the data plane: what we use of it is checked, everything else is the provider's to judge. */
export interface ModelRequest {
  model: string
  [field: string]: unknown
}

/** @throws {AppError} `invalid_request` */
export function modelRequest(body: unknown): ModelRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('invalid_request', 'The body must be a JSON object.')
  }
  const { model } = body as { model?: unknown }
  if (typeof model !== 'string' || model === '') {
    throw new AppError('invalid_request', 'model: is required, the logical id of a registered model.')
  }
  return body as ModelRequest
}

/**
 * The request as the provider gets it: `model` is the provider's own name, and `defaults` stand where the request says
 * nothing. A `null` says nothing either, so that a `voice: null` does not hide the registered voice.
 */
export function providerRequest(
  request: ModelRequest,
  model: string,
  defaults: Record<string, unknown>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...defaults, ...request, model }
  for (const [field, value] of Object.entries(defaults)) merged[field] = request[field] ?? value
  return merged
}

/** The same for a form; what a default holds besides text goes as JSON, as forms have it. */
export function providerForm(
  { boundary, parts }: Form,
  model: string,
  defaults: Record<string, unknown>,
): Form {
  const given = new Set(parts.map(({ name }) => name))
  const absent = Object.entries(defaults).filter(([field]) => !given.has(field))
  return {
    boundary,
    parts: [
      textPart('model', model),
      ...absent.map(([field, value]) => textPart(field, asText(value))),
      ...parts.filter(({ name }) => name !== 'model'),
    ],
  }
}

/** A registration's params as request fields: `maxTokens` is `max_tokens`. Launch settings are no request fields. */
export const requestDefaults = (params: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([name, value]) => !LAUNCH_PARAMS.has(name) && value !== null)
      .map(([name, value]) => [snakeCase(name), value]),
  )

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
