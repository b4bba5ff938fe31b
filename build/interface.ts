import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import tailwind from 'bun-plugin-tailwind'

/**
 * Bundles the browser interface into ui/dist, and writes the module of static imports that makes its files part of
 * whatever imports it: a server that runs from source, or the executable. `--if-changed` skips a bundle that is current.
 */
const DIST = 'ui/dist'
const MARKER_NAME = '.inputs'
const MARKER = join(DIST, MARKER_NAME)
const STALE_AFTER_MS = 60 * 60 * 1000
const EMBED_LIST = 'build/ui-files.gen.ts'
const PRODUCTION = { 'process.env.NODE_ENV': '"production"' }
/** A hash of 8 characters in the name tells the server that the file never changes. */
const HASHED = '[name]-[hash].[ext]'
const SCREEN = /^ui\/([a-z]+)\/(page|list-page|detail-page)\.tsx$/

interface File {
  name: string
  bytes: Uint8Array
}

const inputs = await inputsHash()
if (process.argv.includes('--if-changed') && isCurrent(inputs)) {
  console.error('The interface is up to date.')
} else {
  const startedAt = performance.now()
  const worker = await layoutWorker()
  const { files: application, screens } = await bundledApplication(`/${worker[0]!.name}`)
  const files = [...(await firstScript(screens)), ...worker, ...application]
  write(linkFirstScript(files))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.error(
    `Bundled the interface: ${files.length} files, ${firstLoadKb(files)} kB at first load, ${seconds} s.`,
  )
}

async function inputsHash(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  // One pattern each: Bun finds nothing where an alternative in braces has a slash.
  const found = ['ui/**/*', 'src/graph/**/*'].map((pattern) =>
    Array.fromAsync(new Bun.Glob(pattern).scan('.')),
  )
  const sources = (await Promise.all(found))
    .flat()
    .filter((file) => !file.startsWith(DIST))
    .sort()
  for (const file of [...sources, 'src/kernel/json.ts', 'package-lock.json', 'build/interface.ts'])
    hash.update(`${file}\n`).update(readFileSync(file))
  return hash.digest('hex')
}

function isCurrent(hash: string): boolean {
  return existsSync(MARKER) && existsSync(EMBED_LIST) && readFileSync(MARKER, 'utf8') === hash
}

/** `layoutScript`: path of the script that arranges graphs apart from the page. */
async function bundledApplication(layoutScript: string) {
  const { files, metafile } = await bundle({
    define: { ...PRODUCTION, LAYOUT_WORKER: JSON.stringify(layoutScript) },
    entrypoints: ['ui/index.html'],
    splitting: true,
    plugins: [tailwind],
    naming: { entry: '[name].[ext]', chunk: HASHED, asset: HASHED },
    metafile: true,
  })
  return { files, screens: screenScripts(metafile!) }
}

/** Every script that a screen needs, by the address it is at: `ui/agents/list-page.tsx` is `/agents`. */
function screenScripts({ outputs }: Bun.BuildMetafile): Record<string, string[]> {
  const needed = (name: string, seen = new Set<string>()): Set<string> => {
    const output = outputs[name]
    if (!output || seen.has(name) || output.entryPoint === 'ui/index.html') return seen
    seen.add(name)
    for (const { kind, path } of output.imports) if (kind === 'import-statement') needed(path, seen)
    return seen
  }
  const screens = Object.entries(outputs).flatMap(([name, { entryPoint }]) => {
    const [, slice, page] = SCREEN.exec(entryPoint ?? '') ?? []
    if (slice === undefined) return []
    const address = slice === 'dashboard' ? '' : page === 'detail-page' ? `${slice}/` : slice
    return [[address, [...needed(name)].map((script) => script.replace(/^\./, ''))] as const]
  })
  return Object.fromEntries(screens)
}

/** Runs before the first paint; a file of its own, because the content security policy forbids inline scripts. */
async function firstScript(screens: Record<string, string[]>): Promise<File[]> {
  const { files } = await bundle({
    define: { ...PRODUCTION, SCREEN_SCRIPTS: JSON.stringify(screens) },
    entrypoints: ['ui/theme-boot.ts'],
    format: 'iife',
    naming: { entry: HASHED },
  })
  return files
}

/** A worker is a script of its own; the content security policy forbids to make one from text. */
async function layoutWorker(): Promise<File[]> {
  const { files } = await bundle({
    entrypoints: ['ui/canvas/layout-worker.ts'],
    format: 'iife',
    naming: { entry: HASHED },
  })
  return files
}

async function bundle(options: Bun.BuildConfig) {
  const { outputs, metafile } = await Bun.build({
    target: 'browser',
    minify: true,
    publicPath: '/',
    define: PRODUCTION,
    ...options,
  })
  const files: File[] = await Promise.all(
    outputs.map(async (output) => ({
      name: output.path.replace(/^(\.?\/)+/, ''),
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
  return { files, metafile }
}

function linkFirstScript(files: File[]): File[] {
  const script = files.find(({ name }) => name.startsWith('theme-boot-'))!
  return files.map((file) => {
    if (file.name !== 'index.html') return file
    const html = new TextDecoder().decode(file.bytes)
    const linked = html.replace('</title>', `</title><script src="/${script.name}"></script>`)
    if (linked === html) throw new Error('ui/index.html has no title to put the first script after.')
    return { name: file.name, bytes: new TextEncoder().encode(linked) }
  })
}

/**
 * Every file has its hash in its name, so that a server that started from the list before still finds its files; what
 * no list of the last hour names is removed.
 */
function write(files: File[]) {
  mkdirSync(DIST, { recursive: true })
  const placed = files.map(({ name, bytes }) => ({ path: `/${name}`, file: placedName(name, bytes), bytes }))
  for (const { file, bytes } of placed) writeInPlace(join(DIST, file), bytes)
  removeStale(new Set([MARKER_NAME, ...placed.map(({ file }) => file)]))

  const lines = placed.sort((a, b) => a.path.localeCompare(b.path))
  writeInPlace(
    EMBED_LIST,
    [
      // `with { type: 'file' }` yields a path, which the type checker does not know.
      '// @ts-nocheck',
      ...lines.map(({ file }, index) => `import f${index} from '../${DIST}/${file}' with { type: 'file' }`),
      'export const uiFiles: Record<string, string> = {',
      ...lines.map(({ path }, index) => `  '${path}': f${index},`),
      '}',
      '',
    ].join('\n'),
  )
  writeInPlace(MARKER, inputs)
}

function placedName(name: string, bytes: Uint8Array): string {
  return name === 'index.html' ? `index-${Bun.hash(bytes).toString(36)}.html` : name
}

/** Nobody ever reads half a file. */
function writeInPlace(path: string, content: string | Uint8Array) {
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, content)
  renameSync(fresh, path)
}

function removeStale(current: Set<string>) {
  for (const name of readdirSync(DIST)) {
    const old = Date.now() - statSync(join(DIST, name)).mtimeMs > STALE_AFTER_MS
    if (old && !current.has(name)) rmSync(join(DIST, name), { recursive: true, force: true })
  }
}

/** What a browser fetches before the first screen shows: what the page names, and the scripts those import. */
function firstLoadKb(files: File[]): number {
  const byName = new Map(files.map((file) => [file.name, file]))
  const seen = new Set<string>()
  const follow = (name: string) => {
    const file = byName.get(name)
    if (!file || seen.has(name)) return
    seen.add(name)
    const text = new TextDecoder().decode(file.bytes)
    const names = name.endsWith('.html')
      ? /(?:src|href)="\/([^"]+)"/g
      : /(?:from|import)\s*"(?:\.?\/)([^"]+)"/g
    for (const [, next] of text.matchAll(names)) follow(next!)
  }
  follow('index.html')
  const bytes = [...seen].reduce(
    (sum, name) => sum + Bun.gzipSync(byName.get(name)!.bytes.slice()).byteLength,
    0,
  )
  return Math.round(bytes / 1000)
}
