// Makes package-lock.json anew: `node build/lock.mjs`, after a change of the dependencies in package.json.
//
// Three things that `npm install` does not do by itself: it starts without the old lock and without `node_modules`, which
// would make it forget the packages of other platforms; it names those packages also where the registry is a mirror
// that does not have them, because `npm ci` refuses a lock without them although it never installs them; and it leaves out
// packages for GPUs.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'tycho-lock-'))
for (const file of ['package.json', '.npmrc']) copyFileSync(file, join(folder, file))
const npm = spawnSync('npm', ['install', '--package-lock-only', '--loglevel=error'], {
  cwd: folder,
  stdio: 'inherit',
})
if (npm.status !== 0) process.exit(1)

const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
rmSync(folder, { recursive: true })
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    lock.packages[`node_modules/${name}`] ??= platformPackage(name, version, dev)
  }
}
for (const [path, entry] of Object.entries(lock.packages)) {
  const engine = /^node_modules\/@node-llama-cpp\/(.+)$/.exec(path)?.[1]
  if (engine) Object.assign(entry, enginePlatform(engine))
}
const { '': root, ...rest } = lock.packages
lock.packages = { '': root, ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))) }
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

/** The entry of a package that only its platform installs; the platform is part of its name. */
function platformPackage(name, version, dev) {
  const os = /android|darwin|freebsd|linux|openharmony|win32|windows/.exec(name)?.[0]
  const cpu = /arm64|aarch64|x64|ia32|riscv64|ppc64|s390x|arm/.exec(name)?.[0]
  return {
    version: version.replace(/^[~^]/, ''),
    ...(cpu ? { cpu: [cpu === 'aarch64' ? 'arm64' : cpu] } : {}),
    ...(dev ? { dev: true } : {}),
    ...(os === 'linux' ? { libc: [name.includes('musl') ? 'musl' : 'glibc'] } : {}),
    optional: true,
    ...(os ? { os: [os === 'windows' ? 'win32' : os] } : {}),
  }
}

// Its ARM packages say that they run on x64 too, and its packages for GPUs are 600 MB that nobody asked for: `npm ci`
// goes by what the lock says of platforms, and none is called "none".
function enginePlatform(name) {
  if (/cuda|vulkan/.test(name)) return { os: ['none'] }
  const os = { linux: 'linux', mac: 'darwin', win: 'win32' }[name.split('-')[0]]
  return { os: [os], cpu: [/arm64|armv7l|riscv64|x64/.exec(name)[0].replace('armv7l', 'arm')] }
}
