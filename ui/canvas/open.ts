import { outOfBounds } from '../../src/graph/bounds'
import { AgentDocument } from '../../src/graph/ir'
import type { Problem } from '../../src/graph/problem'
import { read } from '../../src/graph/read'
import { validate } from '../../src/graph/validate'

type Opened = { document: AgentDocument; problems: [] } | { document: null; problems: Problem[] }

/**
 * A value as a document that can be drawn and edited, with defaults filled in; it may still be full of problems. A value
 * that is no document at all can only be edited as text.
 */
export function openDocument(value: unknown): Opened {
  if (!outOfBounds(value)) {
    const { value: filled, mismatches } = read(AgentDocument, value)
    // Read without a mismatch by the schema that the type is made of.
    if (mismatches.length === 0) return { document: filled as AgentDocument, problems: [] }
  }
  return { document: null, problems: validate(value) }
}
