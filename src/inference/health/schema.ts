import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { MODALITIES } from '../models/schema'

/** Key: the engine for chat, `<engine>:<modality>` for everything else. */
const EngineReadiness = t.Record(
  t.String(),
  t.Object({
    ready: t.Boolean(),
    reason: Nullable(t.String({ description: 'Why not, and how to get it.' })),
  }),
)

export const Ready = t.Object({ status: t.Literal('ready'), engines: EngineReadiness })
export const NotReady = t.Object({
  status: t.Literal('not-ready'),
  reason: t.String(),
  engines: EngineReadiness,
})

export const Diagnostics = t.Object({
  stateDir: t.String(),
  modelDir: t.String(),
  hfHome: t.String({ description: "The machine's own cache and login of the model hub." }),
  persistent: t.Boolean({
    description: 'False where the state folder is in the temporary folder of the system.',
  }),
  binaries: t.Array(
    t.Object({
      engine: t.String(),
      modality: t.UnionEnum(MODALITIES),
      path: Nullable(t.String()),
      status: t.UnionEnum(['resolved', 'missing']),
      builtIn: t.Boolean({ description: 'The engine is part of Tycho, and `path` is Tycho itself.' }),
      version: Nullable(
        t.String({ description: 'Also for which processor it was built, where that is known.' }),
      ),
    }),
  ),
  problems: t.Array(
    t.Object({
      file: t.String(),
      keptAs: Nullable(t.String({ description: 'Where the unreadable file was put.' })),
      message: t.String(),
    }),
  ),
})
export type Diagnostics = typeof Diagnostics.static
