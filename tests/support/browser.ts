import { afterAll, afterEach, beforeAll, beforeEach, describe, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { openWorld, type World } from './world'

/** Without windows and menus the browser takes half the time; where Debian's is not installed, the whole one does. */
const PROGRAMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const ARTIFACTS = 'tests/artifacts'
const ACTION_MS = 10_000

interface PageOptions {
  /** A phone is 360 px wide. */
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  contrast?: 'more'
  /** Where the person is: `Asia/Tokyo`. That of this machine otherwise. */
  timezone?: string
  /** Lends the page a microphone that hums. */
  microphone?: boolean
  /** Signed in with this bearer. */
  token?: string
}

export interface Stage {
  world: World
  /** A page of a browser profile of its own, closed after the test; it fails the test when a script on it failed. */
  open(path?: string, options?: PageOptions): Promise<Page>
}

/** Declares tests that drive the interface in a real browser, on a world of their own. */
export function inBrowser(
  tests: (stage: () => Stage) => void,
  options: Omit<Parameters<typeof openWorld>[0] & object, 'interface'> = {},
) {
  const program = PROGRAMS.find((path) => existsSync(path))
  if (!program) return withoutBrowser()
  setDefaultTimeout(60_000)

  describe('in the browser', () => {
    let browser: Browser
    let stage: Stage
    let contexts: BrowserContext[] = []
    let failures: string[] = []

    beforeAll(async () => {
      const world = await openWorld({ ...options, interface: true })
      browser = await chromium.launch({ executablePath: program, args: FLAGS })
      stage = {
        world,
        async open(
          path = '/',
          { width = 1280, height = 800, scheme = 'light', timezone, microphone, contrast, token } = {},
        ) {
          const context = await browser.newContext({
            viewport: { width, height },
            colorScheme: scheme,
            timezoneId: timezone,
            reducedMotion: 'reduce',
            contrast,
          })
          contexts.push(context)
          context.setDefaultTimeout(ACTION_MS)
          if (token) await context.addInitScript((value) => localStorage.setItem('tycho.token', value), token)
          if (microphone) await context.addInitScript(lendMicrophone)
          const page = await context.newPage()
          page.on('pageerror', (error) => failures.push(`${page.url()}: ${error.message}`))
          page.on('console', (line) => {
            if (line.text().includes('Content Security Policy'))
              failures.push(`${page.url()}: ${line.text()}`)
          })
          await page.goto(world.urls.interface + path)
          return page
        },
      }
    })

    afterEach(async () => {
      await Promise.all(contexts.map((context) => context.close()))
      const broken = failures
      contexts = []
      failures = []
      if (broken.length > 0) throw new Error(`Scripts failed in the browser:\n${broken.join('\n')}`)
    })

    afterAll(async () => {
      await browser?.close()
      await stage?.world[Symbol.asyncDispose]()
    })

    tests(() => stage)
  })
}

/** The headless browser has none: a tone comes in its place, which is recorded like any voice. */
function lendMicrophone() {
  navigator.mediaDevices.getUserMedia = async () => {
    // Sound is made only after somebody clicked.
    const context = new AudioContext()
    const tone = context.createOscillator()
    const out = context.createMediaStreamDestination()
    tone.connect(out)
    tone.start()
    return out.stream
  }
}

/** What axe finds wrong on the page that hinders people: `color-contrast: …` with the elements it is about. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'))
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    // What fades in has no colours of its own until it is there.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      )
  })
}

/**
 * How many pixels of the page lie outside of the window, at its sides: to be scrolled to, or cut off. What scrolls by
 * itself inside the window, as a wide table does, does not count.
 */
export const sidewaysOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const main = document.getElementById('main')
    const scrollsItself = (element: Element) => {
      for (let outer = element.parentElement; outer && outer !== main; outer = outer.parentElement)
        // A canvas is panned instead.
        if (/auto|scroll/.test(getComputedStyle(outer).overflowX) || outer.matches('.react-flow')) return true
      return false
    }
    const visible = [...document.querySelectorAll('body *')].filter((element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
    )
    const overhang = visible.map((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      const outside = width > 1 ? Math.max(right - innerWidth, -left, 0) : 0
      return outside > 0.5 && !scrollsItself(element) ? outside : 0
    })
    return Math.round(Math.max(document.documentElement.scrollWidth - innerWidth, ...overhang))
  })

/** Keeps a picture in tests/artifacts, for eyes. */
export async function screenshot(page: Page, name: string) {
  // Nobody looks at them there.
  if (process.env.CI) return
  mkdirSync(ARTIFACTS, { recursive: true })
  await page.screenshot({ path: `${ARTIFACTS}/${name}.png` })
}

/** On a developer's machine that is a reason to skip; a gate that skips its tests is none. */
function withoutBrowser() {
  const reason = `no Chromium at ${PROGRAMS.join(', ')}`
  if (!process.env.CI)
    return describe.skip(`in the browser (skipped: ${reason})`, () => test('nothing ran', () => {}))
  test('a browser is there', () => {
    throw new Error(`The tests of the interface cannot run: ${reason}. On Debian: apt-get install chromium.`)
  })
}

/** An admin who is signed in, and the model `sky`, which says `Fine.` until a test has it say something else. */
export function asAdminWithModel(stage: () => Stage) {
  let token: string
  beforeAll(async () => {
    token = await stage().world.token('admin')
    await stage().world.registerModel('sky')
  })
  beforeEach(() => stage().world.provider.answers({ deltas: ['Fine.'] }))

  return {
    open: (path: string, options: PageOptions = {}) => stage().open(path, { token, ...options }),
    /** Runs the model to its end. */
    async run(input: unknown): Promise<string> {
      const body = { input, model: 'sky', stream: false }
      return (await stage().world.call('POST', '/runs', { as: { token }, body })).body.runId
    },
  }
}
