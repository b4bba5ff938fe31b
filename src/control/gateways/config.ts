import { compilePattern, PatternError } from '#graph/pattern'
import { AppError } from '#kernel/errors'
import type { GatewayConfig, SaveConfig } from './schema'
import type { GatewayRow } from './store'

/** What a gateway does that was told nothing: it forwards. */
const DEFAULTS: Omit<GatewayConfig, 'config_version'> = {
  observer: false,
  record_level: 'metadata',
  redact_rules: null,
  project_attribution: 'basename',
  max_content_bytes: 65_536,
}

/** The saved configuration, or what holds without one. */
export const configOf = ({ config, config_version }: GatewayRow): GatewayConfig => ({
  ...DEFAULTS,
  ...(config === null ? {} : (JSON.parse(config) as SaveConfig)),
  config_version,
})

/** What is stored of a configuration. @throws {AppError} `invalid_gateway_config` for a pattern that is none */
export function checkedConfig(given: SaveConfig): string {
  for (const pattern of given.redact_rules?.patterns ?? []) {
    try {
      compilePattern(pattern)
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      throw new AppError('invalid_gateway_config', `redact_rules.patterns: ${pattern}: ${error.message}`)
    }
  }
  return JSON.stringify({ ...DEFAULTS, ...given })
}
