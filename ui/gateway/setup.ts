/** Who pays the provider (gateway.md, A3). `none` is a personal gateway, which knows no keys. */
export type Billing = 'none' | 'organization' | 'own' | 'subscription'
export type Client = 'claude-code' | 'codex'

export const BILLINGS: readonly { value: Billing; label: string; hint: string }[] = [
  { value: 'none', label: 'Personal', hint: 'A gateway on your own machine: no key, your own login or key.' },
  { value: 'organization', label: 'Organization', hint: 'The gateway puts the organization’s key in.' },
  { value: 'own', label: 'Own API key', hint: 'You pay with your key; the gateway key says who you are.' },
  { value: 'subscription', label: 'Own subscription', hint: 'You are signed in to the client with a plan.' },
]

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
  const step = { label: 'Shell', text }
  if (billing === 'subscription')
    return { steps: [step], note: 'Sign in with /login as always: the login goes through untouched.' }
  if (billing === 'none')
    return { steps: [step], note: 'Your login or API key stays where it is, and goes through untouched.' }
  return { steps: [step] }
}

function codex({ billing, url, key }: Options): Setup {
  if (billing === 'subscription') {
    return {
      steps: [],
      note: 'Codex with a ChatGPT plan behind a gateway key has not been tested. Use an API key, or the organization’s.',
    }
  }
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
      { label: 'Shell', text: shell },
    ],
  }
}
