import type { ChatInput } from './input'

/** Who answers in a chat: a model by its logical id, or an agent. */
export interface Partner {
  kind: 'model' | 'agent'
  id: string
}

export const partnerKey = ({ kind, id }: Partner) => `${kind}:${id}`

/** Who a turn was asked. */
export const partnerOf = ({ model, agent }: { model: string; agent?: string }): Partner =>
  agent === undefined ? { kind: 'model', id: model } : { kind: 'agent', id: agent }

export const asQuestion = ({ kind, id }: Partner) =>
  kind === 'model' ? { model: id } : { model: '', agent: id }

/** Who a conversation was with last, as the interface remembers it in the session's metadata. */
export function partnerIn(metadata: Record<string, unknown> | null | undefined): Partner | null {
  if (typeof metadata?.agent === 'string') return { kind: 'agent', id: metadata.agent }
  return typeof metadata?.model === 'string' ? { kind: 'model', id: metadata.model } : null
}

/** The metadata of a session that goes on with this partner. */
export function withPartner(metadata: Record<string, unknown>, { kind, id }: Partner) {
  const { model: _, agent: __, agent_version: ___, ...rest } = metadata
  return { ...rest, kind, [kind]: id }
}

/** What an agent is given: an object or a list that is written as JSON is one; all else is the text. */
export function agentInput(input: ChatInput): unknown {
  if (typeof input !== 'string' || !/^\s*[[{]/.test(input)) return input
  try {
    return JSON.parse(input)
  } catch {
    // Text that merely begins like JSON.
    return input
  }
}
