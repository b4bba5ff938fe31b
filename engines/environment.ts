import type { Machine } from './engine'

/**
 * What an engine gets of our environment: what programs need to run, to find their libraries and to use the graphics
 * card. Everything else stays here, above all our own keys and the credentials of providers.
 */
const NAMES = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'XDG_CACHE_HOME'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH', 'VIRTUAL_ENV'],
  ...['SYSTEMROOT', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
])
const PREFIXES =
  /^(LC_|GGML_|CUDA_|NVIDIA_|HIP_|HSA_|ROCR_|VK_|ONEAPI_|SYCL_|ZE_|OMP_|KMP_|MKL_|MTL_|METAL_|MLX_)/
/** For an engine that fetches its weights itself. */
const HUB_NAMES = new Set([
  ...['HF_ENDPOINT', 'HF_HUB_CACHE', 'HF_HUB_OFFLINE', 'LLAMA_CACHE', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'REQUESTS_CA_BUNDLE'],
])

interface Options {
  /** The engine fetches weights from the hub: give it the cache, the proxy and the token. */
  hub?: boolean
  extra?: Record<string, string>
}

/** The whole environment of an engine. */
export function engineEnvironment(
  { environment, hfHome, hubToken }: Pick<Machine, 'environment' | 'hfHome' | 'hubToken'>,
  { hub = false, extra = {} }: Options = {},
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    // Windows spells some as `Path`, and proxies are set in either case.
    const upper = name.toUpperCase()
    const passes = NAMES.has(upper) || PREFIXES.test(upper) || (hub && HUB_NAMES.has(upper))
    if (value !== undefined && passes) env[name] = value
  }
  const token = hub ? hubToken() : undefined
  return { ...env, HF_HOME: hfHome, ...(token ? { HF_TOKEN: token } : {}), ...extra }
}

/** Where programs are looked for. */
export function searchPath(environment: Machine['environment']): string {
  const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH')
  return (name && environment[name]) || ''
}
