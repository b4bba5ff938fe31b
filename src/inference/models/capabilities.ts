import { t } from 'elysia'
import { declaredCapabilities, showsThinking } from '#engines/capabilities'
import type { Resident } from '#engines/resident'
import type { EngineTable } from '#engines/table'
import { tryParse } from '#kernel/json'
import { firstProblem } from '../check'
import { readAnswer } from '../read-answer'
import type { Capabilities, Registration, RemoteRegistration } from './schema'

/** A provider that does not say what it can within this time is taken for one that cannot say. */
const PROBE_MS = 3_000
const MAX_PROPS_BYTES = 1024 * 1024

/** The part of llama.cpp's `/props` that matters here. */
const Props = t.Object(
  {
    default_generation_settings: t.Object({ n_ctx: t.Number() }, { additionalProperties: true }),
    chat_template: t.Optional(t.String()),
    modalities: t.Optional(t.Object({ vision: t.Optional(t.Boolean()) }, { additionalProperties: true })),
  },
  { additionalProperties: true },
)
type Props = typeof Props.static

export type CapabilityProbe = (
  id: string,
  registration: Registration,
  signal: AbortSignal,
) => Promise<Capabilities>

interface Deps {
  resolve: (credentialRef: string | null) => string
  resident: Pick<Resident, 'acquire'>
  table: Pick<EngineTable, 'get'>
}

/** What a model can do, as far as it can be found out; one of this machine is loaded for that. */
export const capabilityProbe =
  ({ resolve, resident, table }: Deps): CapabilityProbe =>
  async (id, registration, signal) => {
    if (registration.binding !== 'standard-compatible') {
      await using lease = await resident.acquire(id, signal)
      const { binding, modality } = lease.registration
      const asking = AbortSignal.any([signal, lease.signal])
      return await table.get(binding, modality).capabilities(lease.registration, lease.baseUrl, asking)
    }
    const declared = declaredCapabilities(registration.modality)
    if (!declared.modalities.includes('chat')) return declared
    const key = resolve(registration.credentialRef)
    const props = await llamaCppProps(registration, key, signal)
    return props ? { ...declared, ...fromProps(props, declared.vision) } : declared
  }

function fromProps(
  { default_generation_settings, chat_template = '', modalities }: Props,
  declaredVision: boolean,
): Partial<Capabilities> {
  const vision = declaredVision || modalities?.vision === true
  return {
    toolCalling: true,
    structuredOutput: true,
    vision,
    reasoning: showsThinking(chat_template),
    maxContext: Math.trunc(default_generation_settings.n_ctx),
    modalities: vision ? ['chat', 'vision'] : ['chat'],
  }
}

/** `/props` of a server like llama.cpp's; `null` where there is none, which is what most providers answer. */
async function llamaCppProps(
  { baseUrl }: RemoteRegistration,
  key: string,
  signal: AbortSignal,
): Promise<Props | null> {
  const address = `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/props`
  try {
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    })
    const bytes = await readAnswer(response, MAX_PROPS_BYTES)
    const props = response.ok && bytes ? tryParse(new TextDecoder().decode(bytes)) : null
    return firstProblem(Props, props) ? null : (props as Props)
  } catch {
    // Unreachable or too slow: it tells us nothing here, and a use of the model will say why.
    return null
  }
}
