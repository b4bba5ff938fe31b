import { describe, expect, test } from 'bun:test'
import type { ModelView } from '../../../src/inference/models/schema'
import { ApiError } from '../../../ui/api'
import {
  checkLocal,
  EMPTY_LOCAL_FORM,
  type LocalForm,
  localFormOf,
} from '../../../ui/registries/local-registration'
import { refusedField } from '../../../ui/registries/refusal'
import { liveOf } from '../../../ui/registries/state'

const FILLED: LocalForm = {
  ...EMPTY_LOCAL_FORM,
  model: '/models/a.gguf',
  logicalId: 'a',
  keepWarm: true,
  priority: '-1',
  fallback: 'b',
  params: '{\n  "ctxSize": 8192\n}',
}
const COLD = { resident: false, inflight: 0, draining: false }

describe('the form of a model of this machine', () => {
  test('becomes a registration, and comes back from it as it was', () => {
    const { problems, saving } = checkLocal(FILLED, [])
    expect(problems).toEqual({})
    expect(saving!.registration).toEqual({
      binding: 'llamacpp',
      source: 'local-path',
      model: '/models/a.gguf',
      modality: 'chat',
      params: { ctxSize: 8192 },
      lifecycle: { keepWarm: true, idleTimeoutSec: 900, priority: -1 },
      fallback: 'b',
    })
    const view = { logicalId: 'a', binding: saving!.registration, state: COLD } as ModelView
    expect(localFormOf(view)).toEqual(FILLED)
  })

  test.each<[string, Partial<LocalForm>, keyof LocalForm]>([
    ['a path that is not whole', { model: 'models/a.gguf' }, 'model'],
    ['a repository without its owner', { source: 'hf', model: 'gemma' }, 'model'],
    ['an address of another kind', { source: 'url', model: 'ftp://a/b.gguf' }, 'model'],
    ['an id that is taken', { logicalId: 'taken' }, 'logicalId'],
    ['half a second', { idleTimeoutSec: '0.5' }, 'idleTimeoutSec'],
    ['a priority in words', { priority: 'high' }, 'priority'],
    ['itself as its fallback', { fallback: 'a' }, 'fallback'],
    ['parameters that are no object', { params: '7' }, 'params'],
  ])('%s is said beside its field', (_name, wrong, field) => {
    const { problems, saving } = checkLocal({ ...FILLED, ...wrong }, ['taken'])
    expect(Object.keys(problems)).toEqual([field])
    expect(saving).toBeUndefined()
  })

  test.each(['C:\\models\\a.gguf', '~/a.gguf', '\\\\share\\a.gguf'])('%s is a whole path', (model) => {
    expect(checkLocal({ ...FILLED, model }, []).problems).toEqual({})
  })
})

describe('what the server refuses', () => {
  test.each([
    ['invalid_binding', 'model: is required.', 'model', 'is required.'],
    ['invalid_binding', 'params.ctxSize: must be 1.', 'params', 'ctxSize: must be 1.'],
    ['invalid_binding', 'lifecycle.priority: expected integer.', 'priority', 'expected integer.'],
    ['invalid_binding', 'credentialRef: must be secret://NAME.', 'credential', 'must be secret://NAME.'],
    ['invalid_binding', 'The logical id must be short.', 'logicalId', 'The logical id must be short.'],
    ['incomplete_weights', '/a.gguf: is a part.', 'model', '/a.gguf: is a part.'],
    ['invalid_credential', 'value: must be one line.', 'secretValue', 'value: must be one line.'],
  ])('%s “%s” is about the field %s', (code, message, field, said) => {
    expect(refusedField(new ApiError(422, code, message))).toEqual({ field, message: said })
  })

  test('about no field stays a notice', () => {
    expect(refusedField(new ApiError(500, 'internal_error', 'model: oh'))).toBeNull()
    expect(refusedField(new ApiError(422, 'invalid_binding', 'The body must be an object.'))).toBeNull()
  })
})

test.each([
  [COLD, 'Not loaded'],
  [{ ...COLD, phase: 'waiting' }, 'Waiting for a place'],
  [{ ...COLD, phase: 'loading' }, 'Loading'],
  [{ ...COLD, resident: true }, 'In memory'],
  [{ ...COLD, resident: true, inflight: 2 }, 'At work on 2 answers'],
  [{ resident: true, inflight: 1, draining: true }, 'Freed after 1 answer'],
  [{ resident: false, inflight: 0, draining: true, phase: 'stopping' }, 'Being freed'],
] as const)('a state is told in words: %j is %s', (state, label) => {
  expect(liveOf(state).label).toBe(label)
})
