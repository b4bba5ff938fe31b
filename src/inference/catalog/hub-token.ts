import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Deps {
  /** The credential `HF_TOKEN`. */
  stored: () => string | undefined
  /** The process environment. */
  environment: Readonly<Record<string, string | undefined>>
  hfHome: string
}

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/

/** The hub's token: the stored one wins over the machine's own login, which the hub's tools keep in these places. */
export function hubToken({ stored, environment, hfHome }: Deps) {
  const { HF_TOKEN, HUGGING_FACE_HUB_TOKEN, HF_TOKEN_PATH } = environment
  return async (): Promise<string | undefined> => {
    const token =
      stored() || HF_TOKEN || HUGGING_FACE_HUB_TOKEN || (await kept(HF_TOKEN_PATH || join(hfHome, 'token')))
    const trimmed = token?.trim() ?? ''
    return TOKEN.test(trimmed) ? trimmed : undefined
  }
}

/** Whoever is not signed in has no such file. */
const kept = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
