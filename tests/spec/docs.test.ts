import { expect, test } from 'bun:test'

test('docs/environment.md and docs/settings.md say what the code says', () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'build/docs.ts', '--check'])
  expect(stderr.toString()).toBe('')
  expect(exitCode).toBe(0)
})
