// The runs of the durable benchmark in DBOS: workflows of so many steps, each with a checkpoint of its own, started in this
// process. No server, no HTTP, no record of the run, no trace: `dbos.mjs <database> <steps> <runs> <at once>` prints what
// was measured as JSON.
import { DBOS } from '@dbos-inc/dbos-sdk'

const WARM_UP_RUNS = 50
const [url, ...numbers] = process.argv.slice(2)
const [steps, runs, atOnce] = numbers.map(Number)

const samples = []
const step = async () => 'x'.repeat(200)

async function work() {
  for (let index = 0; index < steps; index++) {
    const at = performance.now()
    await DBOS.runStep(step, { name: `s${index}` })
    samples.push(performance.now() - at)
  }
  return 'x'
}

const workflow = DBOS.registerWorkflow(work, { name: 'bench' })
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false })
await DBOS.launch()

async function runAll(count, width) {
  let left = count
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) {
        const handle = await DBOS.startWorkflow(workflow)()
        await handle.getResult()
      }
    }),
  )
  return (performance.now() - startedAt) / 1000
}

await runAll(WARM_UP_RUNS, atOnce)
samples.length = 0
const seconds = await runAll(runs, atOnce)
console.log(JSON.stringify({ samples, seconds }))
await DBOS.shutdown()
process.exit(0)
