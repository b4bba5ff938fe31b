import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultDataDir, type Env } from '#kernel/env'

/** Where everything is kept. `serve` takes the environment literally; a desktop launch keeps all in the data folder. */
export function placesOf(env: Env, desktop: boolean) {
  const dataDir = env.SERVICE_DATA_DIR ?? defaultDataDir()
  const inferenceStateDir = env.SERVICE_INFERENCE_PLANE_STATE_DIR ?? join(dataDir, 'inference')
  return {
    dataDir,
    databaseUrl: env.DATABASE_URL ?? `sqlite:${join(dataDir, 'tycho.db')}`,
    inferenceStateDir,
    modelDir: env.SERVICE_INFERENCE_PLANE_MODEL_DIR ?? join(inferenceStateDir, 'models'),
    gatewayStateDir: env.SERVICE_GATEWAY_STATE_DIR ?? join(dataDir, 'gateway'),
    artifactDir:
      env.SERVICE_ARTIFACT_DIR ?? (desktop ? join(dataDir, 'artifacts') : join(tmpdir(), 'tycho-artifacts')),
  }
}

/** The keys of the environment; a desktop launch without any makes one and keeps it, readable by the owner only. */
export function secretKeys(env: Env, desktop: boolean, dataDir: string): string[] {
  const given =
    env.SERVICE_SECRET_KEY?.split(',')
      .map((key) => key.trim())
      .filter(Boolean) ?? []
  if (given.length > 0 || !desktop) return given
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  }
  chmodSync(file, 0o600)
  return [readFileSync(file, 'utf8').trim()]
}
