import { bareEnvironment, emptyFolder, startTycho } from '../support/process'

const PASSWORD = 'correct horse battery'

/** A Tycho in a process of its own, set up, and requests to its control plane as its admin. */
export async function benchPlane(command: string[], env: Record<string, string> = {}) {
  const tycho = await startTycho({
    command,
    args: ['serve', '--log-level', 'warn'],
    env: { ...bareEnvironment(emptyFolder()), ...env },
  })
  const { control } = tycho.urls as { control: string }
  let token = ''

  /** The answer's text; `body` is JSON text, so that a loop makes it once. */
  async function send(path: string, body?: string): Promise<string> {
    const response = await fetch(control + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body,
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return text
  }

  const account = await send('/auth/setup', JSON.stringify({ username: 'bench', password: PASSWORD }))
  token = JSON.parse(account).token
  return { send, [Symbol.asyncDispose]: () => tycho[Symbol.asyncDispose]() }
}

export type Send = Awaited<ReturnType<typeof benchPlane>>['send']
