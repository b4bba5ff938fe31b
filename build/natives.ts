import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { EmbeddedNatives, NativeEngine } from '../engines/host/embedded'

/** 33 MB become 8 in three seconds; the highest level saves two more and takes half a minute. */
const ZSTD_LEVEL = 9

/** Files of its own module system that read what is beside them, which in the executable is nothing. */
const STUBS: Record<string, (version: string, release: string) => string> = {
  'utils/getModuleVersion.js': (version) => `export const getModuleVersion = async () => '${version}'`,
  'bindings/utils/binariesGithubRelease.js': (_, release) => `
    export const getBinariesGithubRelease = async () => '${release}'
    export const setBinariesGithubRelease = async () => {}
    export const builtinLlamaCppRelease = '${release}'
    export const defaultLlamaCppRelease = '${release}'`,
  // It would start this executable once more, to see whether the library can be loaded.
  'bindings/utils/testBindingBinary.js': () => 'export const testBindingBinary = async () => true',
}

interface Target {
  /** As node-llama-cpp names it. */
  llama: string
  /** As whisper.node names it. */
  whisper: string
}

/**
 * Puts llama.cpp and whisper.cpp into the executable: their libraries as compressed files, and node-llama-cpp's code so
 * that it finds them where the host has put them. A target whose packages are not installed gets an executable without.
 */
export function nativeEngines(target: Target | null): Bun.BunPlugin {
  const folder = mkdtempSync(join(tmpdir(), 'tycho-natives-'))
  return {
    name: 'native-engines',
    async setup(build) {
      const engines = target === null ? {} : await embeddedEngines(target, folder)
      build.onLoad({ filter: /engines\/host\/embedded\.ts$/ }, () => ({
        loader: 'js',
        contents: embeddedModule(engines),
      }))
      // Other platforms' packages are named too, and asked for by nobody.
      build.onResolve({ filter: /^@(node-llama-cpp|reflink)\// }, ({ path }) => ({
        path,
        namespace: 'natives',
      }))
      build.onLoad({ filter: /.*/, namespace: 'natives' }, ({ path }) => ({
        loader: 'js',
        contents:
          path === `@node-llama-cpp/${target?.llama}`
            ? `import { bins } from '#engines/host/llama/bins'
               export const getBinsDir = () => ({ binsDir: bins.folder, packageVersion: bins.version })`
            : `throw new Error('${path} is not part of this executable')`,
        resolveDir: process.cwd(),
      }))
      const { version, release } = llamaVersions()
      build.onLoad({ filter: /node-llama-cpp\/dist\/.*\.js$/ }, ({ path }) => {
        const stub = Object.entries(STUBS).find(([name]) => path.endsWith(`node-llama-cpp/dist/${name}`))
        return stub && { loader: 'js', contents: stub[1](version, release) }
      })
    },
  }
}

type Engines = Partial<Record<NativeEngine, EmbeddedNatives>>

async function embeddedEngines({ llama, whisper }: Target, folder: string): Promise<Engines> {
  const fromLlama = createRequire(import.meta.resolve('node-llama-cpp'))
  const here = createRequire(import.meta.url)
  const packages = {
    llamacpp: () => join(dirname(fromLlama.resolve(`@node-llama-cpp/${llama}`)), '..'),
    whispercpp: () => dirname(here.resolve(`@fugood/node-whisper-${whisper}`)),
  }
  const engines: Engines = {}
  for (const [engine, find] of Object.entries(packages) as [NativeEngine, () => string][]) {
    const root = installed(find)
    if (root === null)
      console.warn(`${engine} is not installed for ${llama}: the executable has none built in.`)
    else engines[engine] = await embed(engine, root, folder)
  }
  return engines
}

function installed(find: () => string): string | null {
  try {
    return find()
  } catch {
    // Of another platform, which a package manager leaves out.
    return null
  }
}

/** All files of a package that a program loads, in one. */
async function embed(engine: NativeEngine, root: string, folder: string): Promise<EmbeddedNatives> {
  const from = engine === 'llamacpp' ? join(root, 'bins') : root
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.(node|so|dylib|dll|metal)(\.|$)|_nlcBuildMetadata/.test(entry.name),
    )
    .map((entry) => relative(from, join(entry.parentPath, entry.name)))
    .sort()
  const contents = await Promise.all(names.map((name) => Bun.file(join(from, name)).bytes()))
  const archive = join(folder, `${engine}.zst`)
  const compressed = await Bun.zstdCompress(Buffer.concat(contents), { level: ZSTD_LEVEL })
  await Bun.write(archive, compressed)
  const { version } = await Bun.file(join(root, 'package.json')).json()
  const files = names.map((name, index) => ({
    name,
    bytes: statSync(join(from, name)).size,
    sha256: hash(contents[index]!),
  }))
  return {
    id: `${version}-${hash(Buffer.from(JSON.stringify(files))).slice(0, 12)}`,
    version,
    archive,
    files,
  }
}

const embeddedModule = (engines: Engines): string => {
  const entries = Object.entries(engines)
  return `
    ${entries.map(([engine, { archive }]) => `import ${engine} from '${archive}' with { type: 'file' }`).join('\n')}
    export const isExecutable = true
    export const embedded = {
      ${entries.map(([engine, natives]) => `${engine}: { ...${JSON.stringify(natives)}, archive: ${engine} }`).join(',')}
    }`
}

function llamaVersions(): { version: string; release: string } {
  const root = join(dirname(Bun.fileURLToPath(import.meta.resolve('node-llama-cpp'))), '..')
  const read = createRequire(import.meta.url)
  return {
    version: read(join(root, 'package.json')).version,
    release: read(join(root, 'llama/binariesGithubRelease.json')).release,
  }
}

const hash = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
