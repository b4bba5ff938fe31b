import { createServer } from 'node:net'

export interface Ports {
  take(): Promise<number>
  give(port: number): void
}

/**
 * Free ports of the loopback address. A port that was handed out is not handed out again until it is given back:
 * between our asking and the engine's binding it looks free, and some engines share a port without complaint.
 */
export function loopbackPorts(): Ports {
  const taken = new Set<number>()
  return {
    async take(): Promise<number> {
      for (;;) {
        const port = await chosenBySystem()
        if (taken.has(port)) continue
        taken.add(port)
        return port
      }
    },
    give: (port: number) => void taken.delete(port),
  }
}

/** True where somebody listens on it: after an engine's failed start this tells a lost port from a broken engine. */
export const isTaken = (port: number): Promise<boolean> =>
  listenOn(port).then(
    () => false,
    () => true,
  )

const chosenBySystem = () => listenOn(0)

function listenOn(port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.once('error', reject)
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
  })
  return promise
}
