import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { nativeEngines } from './natives'

/** Makes the one executable: `npm run build [-- --target=bun-linux-x64] [--outfile=dist/tycho]`. */
const { target, outfile } = options(Bun.argv.slice(2))

const result = await Bun.build({
  // Workers are files of their own, found by their path below `src`.
  entrypoints: ['src/main.ts', 'src/gateway/recording/reading-worker.ts'],
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  // Compiled ahead, the program starts without parsing itself first.
  bytecode: true,
  format: 'esm',
  // Optional peers that the program never uses and a machine without `node_modules` does not have.
  external: ['pg-native', 'electron'],
  plugins: [nativeSqlite(target), nativeEngines(enginesTarget(target))],
  compile: {
    target: target as Bun.Build.CompileTarget,
    outfile,
    // A user's folder must not change the program.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
})

if (!result.success) {
  for (const message of result.logs) console.error(message)
  process.exit(1)
}
await smokeTest(outfile)
console.log(`${outfile}: ${(statSync(outfile).size / 1024 / 1024).toFixed(1)} MiB, ${target}`)

/** The database driver names its prebuilt library at run time, which a bundler cannot follow; each target has an entry that names one. */
function nativeSqlite(target: string): Bun.BunPlugin {
  const { os, arch, libc } = partsOf(target)
  const platform = { linux: libc ? 'linuxmusl' : 'linux', darwin: 'darwin', windows: 'win32' }[os]
  return {
    name: 'native-sqlite',
    setup(build) {
      build.onResolve({ filter: /^better-sqlite3$/ }, () => ({
        path: join(process.cwd(), 'node_modules/better-sqlite3/lib', `${platform}-${arch}.js`),
      }))
    },
  }
}

/** As the engines' packages are named; there are none for musl. */
function enginesTarget(target: string) {
  const { os, arch, libc } = partsOf(target)
  if (libc) return null
  const metal = os === 'darwin' && arch === 'arm64' ? '-metal' : ''
  const llama = { linux: 'linux', darwin: 'mac', windows: 'win' }[os]
  const whisper = { linux: 'linux', darwin: 'darwin', windows: 'win32' }[os]
  return { llama: `${llama}-${arch}${metal}`, whisper: `${whisper}-${arch}` }
}

function partsOf(target: string) {
  const [, os, arch, libc] = /^bun-(\w+)-(\w+?)(-musl)?(?:-baseline|-modern)?$/.exec(target) ?? []
  if (!os || !arch) throw new Error(`unknown target ${target}`)
  return { os, arch, libc }
}

/** The file just made must answer from an empty folder with an empty environment; other systems' cannot run here. */
async function smokeTest(file: string) {
  if (target !== hostTarget()) return
  const folder = mkdtempSync(join(tmpdir(), 'tycho-smoke-'))
  const { stdout, stderr, exitCode } = Bun.spawnSync([resolve(file), '--version'], {
    cwd: folder,
    env: {},
  })
  rmSync(folder, { recursive: true })
  if (exitCode !== 0) throw new Error(`the executable does not start: ${stderr}`)
  console.log(`tycho ${stdout.toString().trim()}`)
}

function hostTarget(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  return `bun-${os}-${process.arch === 'arm64' ? 'arm64' : 'x64'}`
}

function options(args: string[]) {
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  return { target: value('target') ?? hostTarget(), outfile: value('outfile') ?? 'dist/tycho' }
}
