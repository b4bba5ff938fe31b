import { afterAll, expect, test } from 'bun:test'
import { enqueue, publish, reaches } from '../support/durable'
import { asking } from '../support/graphs'
import { bareEnvironment, emptyFolder, removeFolders, startTycho } from '../support/process'
import { openWorld } from '../support/world'

afterAll(removeFolders)

/** More than one process has at work at once, so that another has to take the rest. */
const RUNS = 70

test.skipIf(process.env.DB === 'sqlite')(
  'a worker takes what the control plane has no room for, and the trace says who did what',
  async () => {
    await using world = await openWorld({ database: 'postgres', env: { SERVICE_DURABLE: 'true' } })
    await world.registerModel()
    await using _worker = await startTycho({
      args: ['worker', '--log-level', 'error'],
      env: {
        ...bareEnvironment(emptyFolder()),
        ...world.env,
        SERVICE_INFERENCE_PLANE_URL: `${world.urls.inference}/v1`,
      },
    })
    let asked = 0
    const all = Promise.withResolvers<void>()
    world.provider.answers({
      deltas: ['said'],
      before(index) {
        if (index === 0 && ++asked === RUNS) all.resolve()
        return all.promise
      },
    })
    await publish(world, asking({ id: 'agent.crowd' }))
    const ids = await Promise.all(Array.from({ length: RUNS }, () => enqueue(world, 'agent.crowd', 'x')))
    const owners = new Map<string, number>()
    for (const id of ids) {
      expect(await reaches(world, id, 'completed', 'failed')).toMatchObject({ output: 'said' })
      const { body } = await world.call('GET', `/runs/${id}/trace`, { as: 'admin' })
      const [, wait, ...nodes] = body.spans
      expect(wait).toMatchObject({ name: 'queue.wait', status: 'ok' })
      // From the run's storing until somebody took it; all of it is one owner's.
      const { executor_id, worker_host } = wait
      for (const span of nodes) expect(span).toMatchObject({ executor_id, worker_host })
      const owner = `${executor_id} ${worker_host}`
      owners.set(owner, (owners.get(owner) ?? 0) + 1)
    }
    expect([...owners.keys()].map((owner) => owner.split(' ')[0]).sort()).toEqual(['control-plane', 'worker'])
    expect(asked).toBe(RUNS)
  },
  60_000,
)
