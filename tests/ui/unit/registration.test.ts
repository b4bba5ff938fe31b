import { describe, expect, test } from 'bun:test'
import type { ModelView } from '../../../src/inference/models/schema'
import {
  check,
  EMPTY_FORM,
  formOf,
  lacksVersion,
  NEW_CREDENTIAL,
  type RemoteForm,
  suggestId,
} from '../../../ui/registries/registration'

const FILLED: RemoteForm = {
  ...EMPTY_FORM,
  baseUrl: ' https://api.example.com/v1/ ',
  model: 'acme/big',
  logicalId: 'big',
}

describe('the form of a remote model', () => {
  test('becomes a registration', () => {
    expect(check({ ...FILLED, params: '{"temperature":0.2}', credential: 'KEY' }, [])).toEqual({
      problems: {},
      saving: {
        id: 'big',
        registration: {
          binding: 'standard-compatible',
          baseUrl: 'https://api.example.com/v1',
          model: 'acme/big',
          modality: 'chat',
          credentialRef: 'secret://KEY',
          params: { temperature: 0.2 },
        },
        secret: null,
      },
    })
  })

  test('brings a new secret along', () => {
    const form = { ...FILLED, credential: NEW_CREDENTIAL, secretName: 'MY_KEY', secretValue: ' sk-1 ' }
    expect(check(form, []).saving).toMatchObject({
      registration: { credentialRef: 'secret://MY_KEY' },
      secret: { name: 'MY_KEY', value: 'sk-1' },
    })
  })

  test.each<[string, Partial<RemoteForm>, keyof RemoteForm]>([
    ['an address without a scheme', { baseUrl: 'api.example.com/v1' }, 'baseUrl'],
    ['an address of another kind', { baseUrl: 'ftp://example.com/v1' }, 'baseUrl'],
    ['no model', { model: '  ' }, 'model'],
    ['no id', { logicalId: '' }, 'logicalId'],
    ['an id that no path could name', { logicalId: 'big/' }, 'logicalId'],
    ['an id that is taken', { logicalId: 'taken' }, 'logicalId'],
    ['parameters that are no JSON', { params: '{temperature}' }, 'params'],
    ['parameters that are no object', { params: '[1]' }, 'params'],
    [
      'a secret with a wrong name',
      { credential: NEW_CREDENTIAL, secretName: 'my key', secretValue: 'x' },
      'secretName',
    ],
    ['a secret without a value', { credential: NEW_CREDENTIAL, secretName: 'KEY' }, 'secretValue'],
  ])('%s is said beside its field', (_name, wrong, field) => {
    const { problems, saving } = check({ ...FILLED, ...wrong }, ['taken'])
    expect(Object.keys(problems)).toEqual([field])
    expect(saving).toBeUndefined()
  })

  test('comes back from a registration as it was', () => {
    const form = {
      ...FILLED,
      baseUrl: 'https://api.example.com/v1',
      credential: 'KEY',
      params: '{\n  "a": 1\n}',
    }
    const { id, registration } = check(form, []).saving!
    const state = { resident: false, inflight: 0, draining: false }
    expect(formOf({ logicalId: id, binding: registration, state } as ModelView)).toEqual(form)
  })
})

test.each([
  ['gpt-4o-mini', 'gpt-4o-mini'],
  ['meta-llama/Llama 3.2 3B', 'llama-3.2-3b'],
  ['llama3.2:latest', 'llama3.2:latest'],
  ['models/Qwen3-4B-Q4_K_M.gguf', 'qwen3-4b-q4_k_m'],
])('a model called %s is suggested as %s', (model, id) => {
  expect(suggestId(model)).toBe(id)
})

test.each([
  ['https://api.example.com', true],
  ['https://api.example.com/v1', false],
  ['https://api.groq.com/openai/v1/', false],
  ['https://generativelanguage.googleapis.com/v1beta/openai', false],
  ['not yet an address', false],
])('%s lacks a version: %p', (url, lacks) => {
  expect(lacksVersion(url)).toBe(lacks)
})
