/** The least a relay can be on this runtime: what the gateway is measured against. */
const upstream = process.argv[2]
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const answer = await fetch(upstream + pathname + search, {
      method: request.method,
      headers: request.headers,
      body: await request.bytes(),
      redirect: 'manual',
      decompress: false,
    })
    return new Response(answer.body, answer)
  },
})
console.log(server.url.origin)

export {}
