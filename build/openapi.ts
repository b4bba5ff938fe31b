import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '#kernel/env'
import { silentLogger } from '#kernel/log'
import { boot } from '../src/boot'

/**
 * Writes each plane's OpenAPI document to `docs/openapi/`, as the running plane answers it, so that a change of the
 * interface shows in review: `node build/bun.mjs build/openapi.ts`. With `--check` it only tells whether they are current.
 */
const DOCUMENTED = ['control', 'inference', 'gateway'] as const

const folder = mkdtempSync(join(tmpdir(), 'tycho-openapi-'))
const variables = {
  SERVICE_DATA_DIR: folder,
  SERVICE_SECRET_KEY: 'unused',
  SERVICE_CONTROL_PLANE_PORT: '0',
  SERVICE_INFERENCE_PLANE_PORT: '0',
  SERVICE_GATEWAY_PORT: '0',
}
const running = await boot({
  env: readEnv(variables),
  planes: DOCUMENTED,
  log: silentLogger(),
  desktop: false,
  interfaceFiles: {},
})
const stale: string[] = []
for (const plane of DOCUMENTED) {
  const file = `docs/openapi/${plane}.json`
  const document = await (await fetch(`${running.urls[plane]}/openapi.json`)).json()
  const text = `${JSON.stringify(document, null, 2)}\n`
  const committed = await Bun.file(file)
    .text()
    .catch(() => '')
  if (committed === text) continue
  stale.push(file)
  if (!Bun.argv.includes('--check')) await Bun.write(file, text)
}
await running[Symbol.asyncDispose]()
rmSync(folder, { recursive: true })

if (stale.length > 0)
  console.log(`${Bun.argv.includes('--check') ? 'stale' : 'written'}: ${stale.join(', ')}`)
process.exit(stale.length > 0 && Bun.argv.includes('--check') ? 1 : 0)
