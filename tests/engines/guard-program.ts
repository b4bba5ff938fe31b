import { runGuard } from '#engines/guard'

/** As the command line runs it (`tycho engine-guard -- program args…`), without the rest of the product. */
export const GUARD = [process.execPath, import.meta.path, '--']

if (import.meta.main) await runGuard(Bun.argv.slice(2))
