import { chromium } from 'playwright-core'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'

const PROGRAM = '/usr/bin/chromium'

/** A Tycho of its own, and a page of a real browser whose person is signed in there. */
export async function browserPage(command: string[]) {
  await using started = new AsyncDisposableStack()
  const tycho = started.use(
    await startTycho({
      command,
      args: ['serve', '--log-level', 'warn'],
      env: bareEnvironment(emptyFolder()),
    }),
  )
  const { control, interface: ui } = tycho.urls as { control: string; interface: string }
  let token = ''
  const post = async (path: string, body: unknown) => {
    const response = await fetch(control + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  token = (await post('/auth/setup', { username: 'bench', password: 'correct horse battery' })).token
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] })
  started.defer(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.addInitScript((value) => localStorage.setItem('tycho.token', value), token)
  const close = started.move()
  return { ui, post, page, [Symbol.asyncDispose]: () => close.disposeAsync() }
}
