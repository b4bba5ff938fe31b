import { version } from '../package.json'

/** The release, as `--version`, the OpenAPI documents and the logs name it. */
export const VERSION: string = version
