import { expect, test } from 'bun:test'
import { validate } from '#graph/validate'

const page = await Bun.file('docs/agent-document.md').text()

test('the tables of docs/agent-document.md say what the code says', () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'build/agent-document.ts', '--check'])
  expect(stderr.toString()).toBe('')
  expect(exitCode).toBe(0)
})

test('its example is valid', () => {
  const [, example] = /```json\n([\s\S]+?)```/.exec(page)!
  expect(validate(JSON.parse(example!))).toEqual([])
})

test('it names every code of a problem', async () => {
  const codes = (await Bun.file('src/graph/problem.ts').text()).match(/(?<=\| ')\w+(?=')/g)!
  expect(codes.length).toBeGreaterThan(20)
  for (const code of codes) expect(page).toContain(`\`${code}\``)
})
