import { AppError } from '#kernel/errors'
import { secretBox } from '#kernel/secrets'
import type { StateFiles } from './state-files'
import type { Provider } from './target'

const FILE = 'org_key.enc'

export type OrgKeySource = 'none' | 'environment' | 'stored'
export type OrgKeys = ReturnType<typeof orgKeys>

interface Deps {
  state: StateFiles
  /** What the deployment set; it cannot be replaced. */
  environment: Record<Provider, string | undefined>
}

/** The organization's keys, one per provider; a key never goes to the other provider. */
export function orgKeys({ state, environment }: Deps) {
  const box = secretBox([state.machineKey()])
  const sealed = state.read<Partial<Record<Provider, string>>>(FILE) ?? {}
  const stored: Partial<Record<Provider, string>> = {}
  for (const [provider, value] of Object.entries(sealed) as [Provider, string][]) {
    stored[provider] = box.open(Buffer.from(value, 'base64')) ?? undefined
  }

  function keep() {
    const entries = Object.entries(stored).filter(([, value]) => value !== undefined)
    state.write(
      FILE,
      Object.fromEntries(
        entries.map(([provider, value]) => [provider, Buffer.from(box.seal(value)).toString('base64')]),
      ),
    )
  }

  const sourceOf = (provider: Provider): OrgKeySource =>
    environment[provider] !== undefined ? 'environment' : stored[provider] !== undefined ? 'stored' : 'none'

  /** @throws {AppError} `org_key_pinned` */
  function change(provider: Provider, value: string | undefined) {
    if (sourceOf(provider) === 'environment')
      throw new AppError('org_key_pinned', 'This key is set by the deployment and cannot be changed here.')
    stored[provider] = value
    keep()
  }

  return {
    of: (provider: Provider): string | null => environment[provider] ?? stored[provider] ?? null,

    /** Where the first key found comes from, for the heartbeat. */
    source: (): OrgKeySource => {
      const sources = [sourceOf('anthropic'), sourceOf('openai')]
      return sources.find((source) => source !== 'none') ?? 'none'
    },

    status(provider: Provider) {
      const source = sourceOf(provider)
      return { configured: source !== 'none', source, locked: source === 'environment' }
    },

    set: change,
    remove: (provider: Provider) => change(provider, undefined),
  }
}
