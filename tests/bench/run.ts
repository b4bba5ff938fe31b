import { existsSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { FROM_SOURCE } from '../support/process'
import { benchDurable } from './durable'
import { benchDurableCrash } from './durable-crash'
import { benchEditor } from './editor'
import { benchEngines } from './engines'
import { benchGateway } from './gateway'
import { benchGatewayReports } from './gateway-reports'
import { benchGraphs } from './graphs'
import { benchHistory } from './history'
import { benchStartup } from './startup'
import { benchStreams } from './streams'
import { benchWaterfall } from './waterfall'

/** `npm run bench [-- startup streams …]`: figures for `docs/benchmarks.md`, from the executable where it was built. */
const BENCHES = {
  startup: benchStartup,
  streams: benchStreams,
  graphs: benchGraphs,
  durable: benchDurable,
  'durable-crash': benchDurableCrash,
  history: benchHistory,
  engines: benchEngines,
  editor: benchEditor,
  waterfall: benchWaterfall,
  gateway: benchGateway,
  reports: benchGatewayReports,
}
/** Takes many minutes: only when it is asked for. */
const LONG = ['durable-crash']

const executable = resolve('dist/tycho')
const command = existsSync(executable) ? [executable] : FROM_SOURCE
const wanted = Bun.argv.slice(2)
console.log(
  `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}, ${command.at(-1)}`,
)
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.includes(name) || (wanted.length === 0 && !LONG.includes(name))) await bench(command)
}
process.exit(0)
