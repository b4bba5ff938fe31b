/** A control plane that takes every record at once: so the cost of delivering is part of what a gateway is measured by. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const bytes = await request.bytes()
    if (pathname === '/gateway/heartbeat') return Response.json({ config_version: 1, keys_version: '' })
    if (pathname !== '/gateway/records') return new Response(null, { status: 404 })
    const accepted = bytes.reduce((lines, byte) => lines + Number(byte === 10), 0)
    return Response.json({ accepted, duplicates: 0, rejected: [] })
  },
})
console.log(server.url.origin)

export {}
