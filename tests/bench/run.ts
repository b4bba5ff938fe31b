import { existsSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { FROM_SOURCE } from '../support/process'
import { benchGateway } from './gateway'
import { benchGatewayReports } from './gateway-reports'
import { benchGraphs } from './graphs'
import { benchHistory } from './history'
import { benchStartup } from './startup'
import { benchStreams } from './streams'

/** `npm run bench [-- startup streams graphs history gateway reports]`: figures for `docs/benchmarks.md`, from the executable where it was built. */
const BENCHES = {
  startup: benchStartup,
  streams: benchStreams,
  graphs: benchGraphs,
  history: benchHistory,
  gateway: benchGateway,
  reports: benchGatewayReports,
}

const executable = resolve('dist/tycho')
const command = existsSync(executable) ? [executable] : FROM_SOURCE
const wanted = Bun.argv.slice(2)
console.log(
  `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}, ${command.at(-1)}`,
)
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench(command)
}
process.exit(0)
