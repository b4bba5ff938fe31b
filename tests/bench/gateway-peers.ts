import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONFIG } from '../support/gateway'
import { freePort } from '../support/postgres'
import { bareEnvironment, startTycho } from '../support/process'
import { installPeers } from './peers'

const FOLDER = join(import.meta.dirname, 'peers')
const PORTKEY = join(FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js')
const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx']
/** The runtime sends 256 requests at once by itself. */
const MANY_REQUESTS = { BUN_CONFIG_MAX_HTTP_REQUESTS: '16384' }
const START_MS = 20_000

/** Something between a client and a provider. */
export interface Peer {
  name: string
  url: string
  pid: number
  /** What it wants to be told with each request. */
  headers?: Record<string, string>
}

/** The provider, and everything that is measured in front of it: each one process. */
export async function startPeers(command: string[]) {
  await using started = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'tycho-bench-'))
  started.defer(() => rmSync(dir, { recursive: true, force: true }))
  const bun = async (file: string, ...args: string[]) => {
    const child = Bun.spawn([process.execPath, join(FOLDER, file), ...args], {
      stdout: 'pipe',
      env: { ...process.env, ...MANY_REQUESTS },
    })
    started.defer(() => end(child))
    const { value } = await child.stdout.getReader().read()
    return { url: new TextDecoder().decode(value).trim(), pid: child.pid }
  }
  const upstream = await bun('gateway-upstream.ts')
  const tycho = async (name: string, more: Record<string, string> = {}): Promise<Peer> => {
    const running = await startTycho({
      command,
      args: ['serve', '--planes', 'gateway', '--log-level', 'warn'],
      env: { ...bareEnvironment(dir), SERVICE_GATEWAY_UPSTREAM_URL: upstream.url, ...more },
    })
    started.defer(() => void running.end('SIGKILL'))
    return { name, url: running.urls.gateway!, pid: running.pid }
  }
  const direct: Peer = { name: 'direct', ...upstream }
  const bare: Peer = { name: 'bare Bun relay', ...(await bun('bare-relay.ts', upstream.url)) }
  const web = await nginx(dir, upstream.url, started)
  const portkey = await portkeyGateway(upstream.url, started)
  const off = await tycho('gateway, off')
  const recording = await tycho('gateway, recording', recordingIn(dir))
  const close = started.move()
  return {
    direct,
    recording,
    relays: [bare, ...(web ? [web] : []), portkey, off, recording],
    [Symbol.asyncDispose]: () => close.disposeAsync(),
  }
}

/** As if a control plane had told it to record metadata before it went away. */
function recordingIn(dir: string): Record<string, string> {
  const state = join(dir, 'recording')
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, 'config.json'), JSON.stringify(CONFIG))
  return {
    SERVICE_GATEWAY_STATE_DIR: state,
    SERVICE_GATEWAY_SERVICE_KEY: 'tygs_x',
    SERVICE_CONTROL_PLANE_URL: 'http://127.0.0.1:9',
  }
}

/** A plain reverse proxy with one worker, which hands every byte on as it comes; null where nginx is not installed. */
async function nginx(dir: string, upstream: string, started: AsyncDisposableStack): Promise<Peer | null> {
  const program = NGINX.find((path) => existsSync(path))
  if (!program) {
    console.log(
      'There is no nginx on this machine, so it is left out. On Debian: apt-get install nginx-light.',
    )
    return null
  }
  const port = await freePort()
  const config = join(dir, 'nginx.conf')
  writeFileSync(config, nginxConfig(dir, port, new URL(upstream).host))
  const child = Bun.spawn([program, '-c', config, '-p', dir, '-e', 'stderr'], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  started.defer(() => end(child))
  return answering({ name: 'nginx', url: `http://127.0.0.1:${port}`, pid: child.pid })
}

/** Without a master the process that was started is the worker. */
const nginxConfig = (dir: string, port: number, upstream: string) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
events { worker_connections 8192; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${dir}/${kind};`).join('\n  ')}
  upstream provider { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    client_max_body_size 64m;
    client_body_buffer_size 1m;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`

/** It is told by headers where to send what. */
async function portkeyGateway(upstream: string, started: AsyncDisposableStack): Promise<Peer> {
  installPeers()
  const port = await freePort()
  const child = Bun.spawn(['node', PORTKEY, '--headless', `--port=${port}`], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  started.defer(() => end(child))
  return answering({
    name: '@portkey-ai/gateway 1.15.2',
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    headers: {
      'x-portkey-provider': 'anthropic',
      'x-portkey-custom-host': `${upstream}/v1`,
      'x-api-key': 'none',
    },
  })
}

/** @throws when it does not answer in time */
async function answering(peer: Peer): Promise<Peer> {
  for (const deadline = performance.now() + START_MS; ; await Bun.sleep(50)) {
    if (
      await fetch(peer.url).then(
        () => true,
        () => false,
      )
    )
      return peer
    if (performance.now() > deadline) throw new Error(`${peer.name} does not answer at ${peer.url}`)
  }
}

async function end(child: Bun.Subprocess) {
  child.kill('SIGKILL')
  await child.exited
}
