/** Everything about the source that a machine can judge without running it. Each tool speaks for itself. */
const CHECKS = {
  types: ['tsc', '-p', '.'],
  'format and lint': ['biome', 'ci', '--error-on-warnings', '.'],
  'dead code': ['knip'],
}

let failed = 0
for (const [name, [tool, ...args]] of Object.entries(CHECKS)) {
  const startedAt = performance.now()
  const { exitCode } = Bun.spawnSync([process.execPath, 'x', '--no-install', tool!, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'}  ${name}, ${seconds} s`)
  if (exitCode !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
