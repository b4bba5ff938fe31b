import { texts as gateway } from '../texts/gateway'

const texts = gateway.setup

/** Who pays the provider (gateway.md, A3). `none` is a personal gateway, which knows no keys. */
export type Billing = 'none' | 'organization' | 'own' | 'subscription'
export type Client = 'claude-code' | 'codex'

export const BILLINGS = (['none', 'organization', 'own', 'subscription'] as const).map((value) => ({
  value,
  ...texts.billings[value],
}))

interface Setup {
  /** What to put where. */
  steps: { label: string; text: string }[]
  note?: string
}

interface Options {
  client: Client
  billing: Billing
  /** The gateway's address. */
  url: string
  /** A `tygk_` key, or what stands for it. */
  key: string
}

/** Lines to copy that have a client tool use the gateway. */
export const setupFor = (options: Options): Setup =>
  options.client === 'claude-code' ? claudeCode(options) : codex(options)

const lines = (...all: (string | false)[]) => all.filter(Boolean).join('\n')

function claudeCode({ billing, url, key }: Options): Setup {
  const header = `export ANTHROPIC_CUSTOM_HEADERS="x-service-gateway-key: ${key}"`
  const text = lines(
    `export ANTHROPIC_BASE_URL="${url}"`,
    billing === 'organization' && `export ANTHROPIC_AUTH_TOKEN="${key}"`,
    billing === 'own' && 'export ANTHROPIC_API_KEY="your own key"',
    (billing === 'own' || billing === 'subscription') && header,
    'claude',
  )
  const step = { label: texts.shell, text }
  if (billing === 'subscription') return { steps: [step], note: texts.notes.subscription }
  if (billing === 'none') return { steps: [step], note: texts.notes.personal }
  return { steps: [step] }
}

function codex({ billing, url, key }: Options): Setup {
  if (billing === 'subscription') return { steps: [], note: texts.notes.untested }
  const variable = billing === 'organization' ? 'TYCHO_GATEWAY_KEY' : 'OPENAI_API_KEY'
  const config = lines(
    'model_provider = "tycho"',
    '[model_providers.tycho]',
    'name = "Tycho gateway"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    `env_key = "${variable}"`,
    billing === 'own' && 'env_http_headers = { "x-service-gateway-key" = "TYCHO_GATEWAY_KEY" }',
  )
  const shell = lines(
    (billing === 'own' || billing === 'organization') && `export TYCHO_GATEWAY_KEY="${key}"`,
    billing !== 'organization' && 'export OPENAI_API_KEY="your own key"',
    'codex',
  )
  return {
    steps: [
      { label: '~/.codex/config.toml', text: config },
      { label: texts.shell, text: shell },
    ],
  }
}
