// Runs the pinned Bun with the given arguments: `node build/bun.mjs src/main.ts`. It is the one program that plain
// Node starts, so it also does the set-up that a fresh clone needs: dependencies and the interface's bundle.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

installDependencies()
const bun = bunProgram()
bundleInterface()

const child = spawn(bun, process.argv.slice(2), { stdio: 'inherit', cwd: root })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))

/** Installs what the lock file names, when it is not the one that was installed from. */
function installDependencies() {
  const marker = join('node_modules', '.tycho-lock')
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return
  console.error('Installing dependencies…')
  // Whoever starts this with Bun may have no npm.
  const [program, ...args] = process.versions.bun
    ? [process.execPath, 'install', '--frozen-lockfile']
    : ['npm', 'ci', '--include=dev', '--loglevel=error']
  const { status } = spawnSync(program, args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('The dependencies could not be installed. Is the npm registry reachable?')
    process.exit(1)
  }
  writeFileSync(marker, lock)
}

/**
 * The binary that the platform's package of Bun carries. Bun's install script, where somebody let it run, has moved it
 * into the main package, over the stub there.
 */
function bunProgram() {
  if (process.versions.bun) return process.execPath
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const file = process.platform === 'win32' ? 'bun.exe' : 'bun'
  const places = [
    `@oven/bun-${os}-${arch}/bin/${file}`,
    `@oven/bun-${os}-${arch}-musl/bin/${file}`,
    'bun/bin/bun.exe',
  ]
  const found = places.map((place) => join(root, 'node_modules', place)).find(isProgram)
  if (found) return found
  console.error(`There is no Bun for ${process.platform} ${process.arch} in the npm registry.`)
  process.exit(1)
}

function isProgram(path) {
  const stubBytes = 1_000_000
  return existsSync(path) && statSync(path).size > stubBytes
}

function bundleInterface() {
  const { status } = spawnSync(bun, ['build/interface.ts', '--if-changed'], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
