import type { Opened } from '#kernel/db/open'
import type { Env } from '#kernel/env'
import type { SecretBox } from '#kernel/secrets'

interface Facts {
  database: Opened
  env: Env
  secrets: SecretBox
  inferenceUrl: string
  origins: string[]
  durable: boolean
  artifactDir: string
}

export type BootFact = ReturnType<typeof bootFacts>[number]

/** What only a restart with another environment changes; credentials are never among it. */
export const bootFacts = ({ database, env, secrets, inferenceUrl, origins, durable, artifactDir }: Facts) => [
  fact('durable', durable, 'Durable runs: SERVICE_DURABLE.'),
  fact('topology', env.SERVICE_TOPOLOGY, 'Decides the default capture level: SERVICE_TOPOLOGY.'),
  fact('inference_plane_url', inferenceUrl, 'The inference plane: SERVICE_INFERENCE_PLANE_URL.'),
  fact('cors_origins', origins, 'Pages that may call the planes: SERVICE_CORS_ORIGINS.'),
  fact('artifact_dir', artifactDir, 'Where artifacts are kept: SERVICE_ARTIFACT_DIR.'),
  fact(
    'invoke_token_set',
    env.SERVICE_INVOKE_TOKEN !== undefined,
    'Whether a token opens agents besides API keys: SERVICE_INVOKE_TOKEN.',
  ),
  fact(
    'secret_key_ephemeral',
    secrets.ephemeral,
    'Whether the key of stored secrets ends with this process: SERVICE_SECRET_KEY.',
    secrets.ephemeral
      ? 'Secrets stored now cannot be read after a restart. Set SERVICE_SECRET_KEY and store them again.'
      : null,
  ),
  fact('database', { host: database.host, database: database.database }, 'The database: DATABASE_URL.'),
]

const fact = (
  key: string,
  value: boolean | string | string[] | { host: string; database: string },
  description: string,
  warning: string | null = null,
) => ({ key, value, description, warning })
