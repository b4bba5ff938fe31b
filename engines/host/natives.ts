import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type EmbeddedNatives, embedded, isExecutable, type NativeEngine } from './embedded'

const EXECUTABLE_MODE = 0o700

/** The package that holds the native libraries of an engine for this machine, and its own version. */
const PACKAGES: Record<NativeEngine, string> = {
  llamacpp: `@node-llama-cpp/${llamaPlatform()}`,
  whispercpp: `@fugood/node-whisper-${process.platform}-${process.arch}`,
}

/** The version of the libraries for an engine; `null` where there are none for this machine. */
export function nativesVersion(engine: NativeEngine): string | null {
  if (isExecutable) return embedded[engine]?.version ?? null
  const folder = packageFolder(engine)
  return folder && (require(join(folder, 'package.json')) as { version: string }).version
}

/** The folder with the libraries: of the package, or written once from the executable into `into`. */
export async function nativesFolder(engine: NativeEngine, into: string): Promise<string> {
  const inside = embedded[engine]
  if (inside) return await extracted(inside, join(into, `${engine}-${inside.id}`))
  const folder = isExecutable ? null : packageFolder(engine)
  if (folder) return engine === 'llamacpp' ? join(folder, 'bins', llamaPlatform()) : folder
  throw new Error(`There are no libraries of ${engine} for ${process.platform} ${process.arch}.`)
}

/**
 * Whole or not at all: the files are written beside it, checked against their hashes and moved into place in one step.
 * What is there is used only when each file has its length; a disk that was full once leaves others.
 */
async function extracted(natives: EmbeddedNatives, folder: string): Promise<string> {
  if (await isWhole(natives, folder)) return folder
  await mkdir(dirname(folder), { recursive: true, mode: EXECUTABLE_MODE })
  const draft = await mkdtemp(`${folder}.`)
  try {
    await writeFiles(natives, draft)
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another host may have been faster; its files are the same.
    if (!(await isWhole(natives, folder))) throw error
  }
  return folder
}

async function writeFiles({ archive, files }: EmbeddedNatives, folder: string) {
  const content = await Bun.zstdDecompress(await Bun.file(archive).bytes())
  let at = 0
  for (const { name, bytes, sha256 } of files) {
    const file = content.subarray(at, at + bytes)
    at += bytes
    if (new Bun.CryptoHasher('sha256').update(file).digest('hex') !== sha256) {
      throw new Error(`${name} of the executable is damaged. Install Tycho again.`)
    }
    await Bun.write(join(folder, name), file, { mode: EXECUTABLE_MODE })
  }
}

async function isWhole({ files }: EmbeddedNatives, folder: string): Promise<boolean> {
  const sizes = await Promise.all(
    files.map(({ name }) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => -1,
      ),
    ),
  )
  return files.every(({ bytes }, index) => bytes === sizes[index])
}

function packageFolder(engine: NativeEngine): string | null {
  try {
    // node-llama-cpp brings the packages of its platforms itself: it is asked where they are.
    const from = engine === 'llamacpp' ? require.resolve('node-llama-cpp') : import.meta.path
    const main = createRequire(from).resolve(PACKAGES[engine])
    const folder = engine === 'llamacpp' ? join(dirname(main), '..') : dirname(main)
    return existsSync(join(folder, 'package.json')) ? folder : null
  } catch {
    // Not installed: the package of another platform, or an optional one that was left out.
    return null
  }
}

/** As node-llama-cpp names them. */
function llamaPlatform(): string {
  const system = { darwin: 'mac', win32: 'win' }[process.platform as string] ?? process.platform
  return `${system}-${process.arch}${system === 'mac' && process.arch === 'arm64' ? '-metal' : ''}`
}
