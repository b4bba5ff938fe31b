import { t } from 'elysia'
import { tryParse } from '#kernel/json'
import { firstProblem } from '../check'
import { readAnswer } from '../read-answer'
import { noEngine } from './no-engine'
import type { Capabilities, Modality, Registration, RemoteRegistration } from './schema'

/** A provider that does not say what it can within this time is taken for one that cannot say. */
const PROBE_MS = 3_000
const MAX_PROPS_BYTES = 1024 * 1024

/** Marks in a chat template that make the model's thinking visible. */
const REASONING_MARKS = /<think>|<\/think>|enable_thinking|reasoning_content|<\|channel\|>/

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

/** What a model can do, as far as it can be found out. */
export const capabilityProbe =
  ({ resolve }: { resolve: (credentialRef: string | null) => string }): CapabilityProbe =>
  async (id, registration, signal) => {
    if (registration.binding !== 'standard-compatible') throw noEngine(id, registration)
    const declared = declaredCapabilities(registration.modality)
    if (!declared.modalities.includes('chat')) return declared
    const key = resolve(registration.credentialRef)
    const props = await llamaCppProps(registration, key, signal)
    return props ? { ...declared, ...fromProps(props, declared.vision) } : declared
  }

/** All that a registration says itself: what a model is for, and nothing about how well. */
function declaredCapabilities(modality: Modality): Capabilities {
  const vision = modality === 'vision'
  return {
    toolCalling: false,
    structuredOutput: false,
    vision,
    reasoning: false,
    maxContext: null,
    modalities: vision ? ['chat', 'vision'] : [modality],
    approximate: true,
  }
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
    reasoning: REASONING_MARKS.test(chat_template),
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
