import { openDatabase } from '#kernel/db/open'
import { migrations } from '../../migrations'
import { enqueue, publish, reaches, resume } from './durable'
import { graph, node } from './graphs'
import { openWorld } from './world'

/**
 * Makes a fixture of `tests/fixtures/half-finished`: what the database of this release holds of a run that is in the
 * middle of its work. Run by hand when the semantics of nodes or the checkpoints change, under a new name; the older
 * ones stay, for later releases must go on with them.
 *
 *     bun tests/support/make-half-finished.ts <name>
 */
const [name] = Bun.argv.slice(2)
if (!name) throw new Error('Give the fixture a name.')

const TABLES = [
  'agents',
  'agent_versions',
  'run_graphs',
  'runs',
  'durable_runs',
  'run_steps',
  'run_gates',
] as const
const MARK = 'on record since an earlier release'

const child = graph(
  [
    node('in', 'input'),
    node('do', 'tool', { config: { tool: 'echo', args: { value: '$in' } } }),
    node('ask', 'human', { config: { prompt: 'And now?', inputSchema: { required: ['text'] } } }),
    node('say', 'transform', { config: { expr: '$in.did & ": " & $in.said.text' }, in: ['did', 'said'] }),
    node('out', 'output'),
  ],
  ['in.out>do.in', 'do.out>ask.in', 'do.out>say.did', 'ask.out>say.said', 'say.out>out.in'],
  { id: 'agent.half-child' },
)
const parent = graph(
  [
    node('in', 'input'),
    node('first', 'tool', { config: { tool: 'echo', args: { value: '$in' } } }),
    node('each', 'map', { config: { agent: 'agent.half-child', version: '1.0.0', concurrency: 2 } }),
    node('turn', 'loop', { config: { agent: 'agent.half-child', version: '1.0.0', maxIterations: 2 } }),
    node('out', 'output'),
  ],
  ['in.out>first.in', 'first.out>each.in', 'each.out>turn.in', 'turn.out>out.in'],
  { id: 'agent.half' },
)

await using world = await openWorld({ env: { SERVICE_DURABLE: 'true' } })
await publish(world, child, parent)
const id = await enqueue(world, 'agent.half', ['a', 'b'])
await reaches(world, id, 'waiting')
await resume(world, id, { text: 'one' }, { node: 'each#0/ask' })
await reaches(world, id, 'waiting')

await using database = openDatabase(world.env.DATABASE_URL!)
// A step that is done again would not say this.
await database.db
  .updateTable('run_steps')
  .set({ output: JSON.stringify({ ok: true, value: [MARK, 'b'] }) })
  .where('key', '=', 'first')
  .execute()
await database.db
  .updateTable('run_steps')
  .set({ output: JSON.stringify({ ok: true, output: MARK }) })
  .where('key', '=', 'each#0')
  .execute()
const tables: Record<string, unknown[]> = {}
for (const table of TABLES) tables[table] = await database.db.selectFrom(table).selectAll().execute()
const fixture = { migration: Object.keys(migrations).at(-1), run: id, mark: MARK, tables }
await Bun.write(`tests/fixtures/half-finished/${name}.json`, `${JSON.stringify(fixture, null, 1)}\n`)
