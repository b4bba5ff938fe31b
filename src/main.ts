import { uiFiles } from '../build/ui-files.gen'
import { runCli } from './cli'

await runCli(Bun.argv.slice(2), uiFiles)
