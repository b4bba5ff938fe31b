import { createHmac } from 'node:crypto'
import { tryParse } from '#kernel/json'
import { type Fields, fieldsOf } from './answer'
import { type RequestRecord, short } from './record'
import type { RequestFacts } from './request-facts'

export type ClientFacts = Pick<
  RequestRecord,
  | 'client'
  | 'client_version'
  | 'entrypoint'
  | 'device'
  | 'session_id'
  | 'session_source'
  | 'agent_id'
  | 'parent_agent_id'
>

/** Which tool sent a request, and where in its work: from its headers first, then from its body. */
export function clientFacts(headers: Headers, body: RequestFacts, machineKey: string): ClientFacts {
  const agent = headers.get('user-agent') ?? ''
  const originator = headers.get('originator') ?? ''
  const claude = /^claude-cli\/(\S+)(?:\s+\(([^)]*)\))?/.exec(agent)
  if (claude) return claudeFacts(headers, body, claude, machineKey)
  if (/^codex/i.test(originator) || /^codex/i.test(agent)) return codexFacts(headers, body, agent, originator)
  return {
    client: 'other',
    client_version: null,
    entrypoint: null,
    device: null,
    ...sessionOf(short(headers.get('x-session-id')), null),
    agent_id: null,
    parent_agent_id: null,
  }
}

function claudeFacts(headers: Headers, body: RequestFacts, agent: RegExpExecArray, machineKey: string) {
  const user = claudeUser(body.userId)
  const device = short(user.device_id)
  return {
    client: 'claude-code' as const,
    client_version: short(agent[1]),
    // `external, sdk-cli`: where it was started from is the second.
    entrypoint: short(agent[2]?.split(',')[1]?.trim()),
    device:
      device === null ? null : createHmac('sha256', machineKey).update(device).digest('hex').slice(0, 32),
    ...sessionOf(short(headers.get('x-claude-code-session-id')), short(user.session_id)),
    agent_id: short(headers.get('x-claude-code-agent-id')),
    parent_agent_id: short(headers.get('x-claude-code-parent-agent-id')),
  }
}

/** A JSON text of ids; older releases join them with underscores. */
function claudeUser(userId: string | null): Fields {
  if (userId === null) return {}
  const fields = tryParse(userId)
  if (typeof fields === 'object') return fieldsOf(fields)
  return { session_id: /_session_([\w-]+)$/.exec(userId)?.[1] }
}

function codexFacts(headers: Headers, body: RequestFacts, agent: string, originator: string): ClientFacts {
  const session = headers.get('session-id') ?? headers.get('session_id')
  const thread = short(headers.get('thread-id'))
  const turn = turnMetadata(headers)
  const inThread = thread !== null && thread !== session
  return {
    client: 'codex',
    client_version: short(/^[^/\s]+\/(\S+)/.exec(agent)?.[1]),
    entrypoint: short(originator),
    device: null,
    ...sessionOf(short(session), body.cacheKey),
    agent_id: inThread ? thread : null,
    parent_agent_id: inThread ? short(turn.parent_thread_id) : null,
  }
}

/** Codex describes each turn in a header: ids, and in a git tree the workspaces. */
export function turnMetadata(headers: Headers): Fields {
  const text = headers.get('x-codex-turn-metadata')
  return text === null ? {} : fieldsOf(tryParse(text))
}

const sessionOf = (header: string | null, body: string | null) => ({
  session_id: header ?? body,
  session_source:
    header !== null ? ('header' as const) : body !== null ? ('body' as const) : ('none' as const),
})
