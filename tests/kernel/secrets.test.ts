import { expect, test } from 'bun:test'
import { secretBox } from '#kernel/secrets'

test('what one key sealed, the same key opens', () => {
  const box = secretBox(['one'])
  expect(box.open(box.seal('grüße'))).toBe('grüße')
  expect(box.ephemeral).toBe(false)
})

test('after a rotation the new key seals and the old one still opens', () => {
  const sealedBefore = secretBox(['old']).seal('token')
  const rotated = secretBox(['new', 'old'])
  expect(rotated.open(sealedBefore)).toBe('token')
  expect(secretBox(['new']).open(rotated.seal('token'))).toBe('token')
  expect(secretBox(['old']).open(rotated.seal('token'))).toBeNull()
})

test('a foreign key, changed bytes and garbage open to nothing', () => {
  const box = secretBox(['one'])
  const sealed = box.seal('token')
  expect(secretBox(['two']).open(sealed)).toBeNull()
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at]! ^= 1
    expect(box.open(changed)).toBeNull()
  }
  expect(box.open(new Uint8Array())).toBeNull()
  expect(box.open(new Uint8Array(64))).toBeNull()
})

test('sealing the same text twice gives different bytes', () => {
  const box = secretBox(['one'])
  expect(Buffer.from(box.seal('token')).equals(Buffer.from(box.seal('token')))).toBe(false)
})

test('without keys the box is ephemeral', () => {
  const box = secretBox([])
  expect(box.ephemeral).toBe(true)
  expect(box.open(box.seal('token'))).toBe('token')
  expect(secretBox([]).open(box.seal('token'))).toBeNull()
})
