interface Effect {
  /** How often it was asked for, and how often it was done. */
  asked: number
  answered: number
  /** The era in which it was first asked for. */
  era: number
}

/** A server that takes side effects, and remembers under which key each came, and how often. */
export interface EffectServer extends AsyncDisposable {
  url: string
  /** By idempotency key. */
  effects: Map<string, Effect>
  /** Whoever tests counts them up. */
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
      const effect = effects.get(key) ?? { asked: 0, answered: 0, era: self.era }
      effects.set(key, effect)
      effect.asked++
      await Bun.sleep(Math.random() * latencyMs)
      effect.answered++
      return new Response(new URL(request.url).pathname)
    },
  })
  const self = {
    url: `http://127.0.0.1:${server.port}`,
    effects,
    era: 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return self
}
