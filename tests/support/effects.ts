/** A server that takes side effects, and remembers under which key each came, and how often. */
export interface EffectServer extends AsyncDisposable {
  url: string
  /** By idempotency key: how often it was asked, and how often it has answered. */
  effects: Map<string, { asked: number; answered: number }>
  /** By idempotency key, the era in which it was first asked for. Whoever tests says when another one begins. */
  since: Map<string, number>
  era: number
}

/** Each answer is the path that was asked for, after up to `latencyMs`. */
export function effectServer(latencyMs = 20): EffectServer {
  const effects: EffectServer['effects'] = new Map()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const key = request.headers.get('idempotency-key') ?? 'none'
      const effect = effects.get(key) ?? { asked: 0, answered: 0 }
      effects.set(key, effect)
      if (!self.since.has(key)) self.since.set(key, self.era)
      effect.asked++
      await Bun.sleep(Math.random() * latencyMs)
      effect.answered++
      return new Response(new URL(request.url).pathname)
    },
  })
  const self: EffectServer = {
    url: `http://127.0.0.1:${server.port}`,
    effects,
    since: new Map(),
    era: 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return self
}
