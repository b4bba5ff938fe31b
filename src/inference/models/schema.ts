import { type Static, t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'

export const MODALITIES = [
  'chat',
  'vision',
  'embeddings',
  'audio.transcription',
  'audio.speech',
  'images.generation',
] as const
export type Modality = (typeof MODALITIES)[number]

const strict = { additionalProperties: false }
const Modality = t.UnionEnum(MODALITIES, { default: 'chat' })
const Params = t.Record(t.String(), t.Unknown(), {
  default: {},
  description: 'Launch settings of a local engine, and defaults below the fields of every request.',
})

const Lifecycle = t.Object(
  {
    keepWarm: t.Boolean({ default: false }),
    idleTimeoutSec: t.Integer({ default: 900, minimum: 0 }),
    priority: t.Integer({ default: 0 }),
  },
  { ...strict, default: {} },
)

/** A model that an engine of this machine serves. */
export const ManagedRegistration = t.Object(
  {
    // Not `UnionEnum`: that has a default, its first value.
    binding: t.Union([t.Literal('llamacpp'), t.Literal('mlx')]),
    source: t.Union([t.Literal('hf'), t.Literal('local-path'), t.Literal('url')]),
    model: t.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Path, repository or URL of the weights.',
    }),
    modality: Modality,
    params: Params,
    lifecycle: Lifecycle,
    fallback: t.Union([t.String({ minLength: 1, maxLength: 200 }), t.Null()], {
      default: null,
      description: 'Logical id that is asked when this one has no capacity or no engine.',
    }),
  },
  strict,
)
export type ManagedRegistration = typeof ManagedRegistration.static

/** A model of a provider that speaks the standard protocol. */
export const RemoteRegistration = t.Object(
  {
    binding: t.Literal('standard-compatible'),
    model: t.String({ minLength: 1, maxLength: 4096, description: "The provider's name of the model." }),
    modality: Modality,
    params: Params,
    baseUrl: t.String({ minLength: 1, maxLength: 2048, description: 'With the API prefix, usually `/v1`.' }),
    credentialRef: t.Union([t.String({ maxLength: 200 }), t.Null()], {
      default: null,
      description: '`secret://NAME`; the name of a local credential or of an environment variable.',
    }),
  },
  strict,
)
export type RemoteRegistration = typeof RemoteRegistration.static

/** A registration in full, every default filled in. */
export const Registration = t.Union([ManagedRegistration, RemoteRegistration])
export type Registration = ManagedRegistration | RemoteRegistration

type Defaulted = 'modality' | 'params' | 'lifecycle' | 'fallback' | 'credentialRef'
type Given<T> = Omit<T, Defaulted> & { [Key in Extract<keyof T, Defaulted>]?: Partial<T[Key]> | T[Key] }
/** A registration as it is sent: what has a default may be left out. */
export type RegistrationInput = Given<ManagedRegistration> | Given<RemoteRegistration>

/** What is told of a local model while there is something to tell. */
const notes = {
  loadingMs: t.Optional(
    t.Integer({ description: 'How long it has been on its way, the wait for a place included.' }),
  ),
  warning: t.Optional(t.String({ description: 'That the memory hardly holds it, for a person.' })),
}

export const ModelView = t.Object({
  logicalId: t.String(),
  binding: Registration,
  state: t.Object({
    resident: t.Boolean({ description: 'An engine of this machine holds it in memory.' }),
    inflight: t.Integer(),
    draining: t.Boolean(),
    baseUrl: t.Optional(t.String({ description: 'Of the engine, while resident.' })),
    phase: t.Optional(
      t.UnionEnum(['waiting', 'loading', 'stopping'], {
        description: 'While it waits for room, loads or ends; absent when cold or resident.',
      }),
    ),
    ...notes,
  }),
})
export type ModelView = Static<typeof ModelView>

export const ModelList = t.Object({ models: t.Array(ModelView) })

export const Capabilities = t.Object({
  toolCalling: t.Boolean(),
  structuredOutput: t.Boolean(),
  vision: t.Boolean(),
  reasoning: t.Boolean(),
  maxContext: Nullable(t.Integer()),
  modalities: t.Array(t.UnionEnum(MODALITIES)),
  approximate: t.Boolean({ description: 'Not measured: `false` and `null` above may mean unknown.' }),
})
export type Capabilities = typeof Capabilities.static

export const Engines = t.Object({
  maxResident: t.Integer(),
  resident: t.Array(
    t.Object({
      logicalId: t.String(),
      engine: t.String(),
      model: t.String(),
      modality: t.UnionEnum(MODALITIES),
      phase: t.UnionEnum(['waiting', 'loading', 'ready', 'stopping']),
      baseUrl: Nullable(t.String({ description: '`null` until it runs, and for one that renders.' })),
      inflight: t.Integer(),
      draining: t.Boolean(),
      priority: t.Integer(),
      ...notes,
    }),
  ),
})
export type Engines = typeof Engines.static
