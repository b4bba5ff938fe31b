import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Billing, type Client, setupFor } from '../../ui/gateway/setup'
import { emptyFolder } from './process'

/**
 * The command-line clients, where `claude` and `codex` are on the PATH. None is a dependency: to have them, install
 * `@anthropic-ai/claude-code` and `@openai/codex` somewhere else.
 */
const PROGRAMS = { 'claude-code': 'claude', codex: 'codex' } as const
export const isInstalled = (client: Client): boolean => Bun.which(PROGRAMS[client]) !== null

/** Without a terminal: one prompt, the tools of the test, what happens is on its own heads. */
const ARGUMENTS = {
  'claude-code': '-p "$PROMPT" --model claude-sonnet-4-5 --allowedTools Bash Read Agent',
  codex: 'exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m gpt-5-codex "$PROMPT"',
}
export const OWN_KEYS = { 'claude-code': 'sk-ant-of-the-developer', codex: 'sk-of-the-developer' }

interface Prompted {
  client: Client
  /** The gateway's. */
  url: string
  prompt: string
  billing?: Billing
  key?: string
}

/**
 * Sets a client up with the lines that the interface shows, in a home where it has never been, and asks it something in a
 * small project named `shop`. @returns what it printed, and how it ended
 */
export async function prompted({ client, url, prompt, billing = 'none', key = '' }: Prompted) {
  const dir = emptyFolder()
  const home = join(dir, 'home')
  const work = join(dir, 'shop')
  for (const folder of [join(home, '.codex'), work]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(work, 'price.ts'), 'export const price = (net: number) => net * 1.19\n')
  const { steps } = setupFor({ client, billing, url, key })
  const [shell, config] = steps.toReversed().map(({ text }) => text)
  if (config) writeFileSync(join(home, '.codex/config.toml'), config)
  const program = PROGRAMS[client]
  const script = shell!
    .replace('your own key', OWN_KEYS[client])
    .replace(new RegExp(`^${program}$`, 'm'), `exec ${program} ${ARGUMENTS[client]}`)
  const child = Bun.spawn(['sh', '-c', script], {
    cwd: work,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      PROMPT: prompt,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...(billing === 'none' && { ANTHROPIC_API_KEY: OWN_KEYS['claude-code'] }),
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}
