import { fileURLToPath } from 'node:url'
import { folderSource } from './folder'
import { hubSource } from './hub'
import type { Source } from './source'

interface Deps {
  /** Of a hub, or of a folder (`file:`). */
  url: string
  token: () => Promise<string | undefined>
  version: string
}

export const sourceOf = ({ url, ...deps }: Deps): Source =>
  url.startsWith('file:') ? folderSource(fileURLToPath(url)) : hubSource({ ...deps, base: url })
