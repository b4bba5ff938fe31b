/**
 * What a run says while it goes on. One union for prompt runs and graphs, and whoever wants to know subscribes: the
 * run's stream turns events into frames, its trace into spans.
 */
export type RunEvent =
  /** The work has begun for good: from here on a failure is a frame of the stream, no longer an HTTP status. */
  | { type: 'streaming' }
  | { type: 'delta'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; tool: string }
  | {
      type: 'span.open'
      span: SpanRef
      nodeType: string
      kind: string
      attributes?: Attributes
      /** Its place among the spans of a graph run: topological, whatever ran first. Prompt runs have none. */
      order?: number
      /** What it is a part of where that is not the run itself: the branch or the node of a child run around it. */
      within?: SpanRef
      /** The agent that it counts for, where that is a child. */
      agentId?: string
    }
  | {
      type: 'span.close'
      span: SpanRef
      status: 'ok' | 'err' | 'skipped'
      error?: string
      attributes?: Attributes
    }
  | { type: 'node.io'; node: string; inputs: Record<string, unknown>; outputs: Record<string, unknown> }

/** What the run's own span is called where others have their node's id (interface, 4). No node may have it. */
export const ROOT_SPAN = '_root'

/** A node's span, one of its phases (`model.generate`), or one of its branches. */
export interface SpanRef {
  node: string
  phase?: string
  branch?: number
}

export type Attributes = Record<string, string | number | boolean>

export type Emit = (event: RunEvent) => void

/** What a run that came to its end has to show; `note` says why the output is empty. */
export interface RunOutput {
  output: string
  note?: string
  note_code?: NoteCode
}

export type NoteCode =
  | 'upstream_error'
  | 'no_output_node'
  | 'output_not_reached'
  | 'token_limit'
  | 'tool_limit'

/**
 * The work of a run: tells `emit` what happens and resolves with the output. When `signal` fires it rejects soon,
 * after it has closed what it opened.
 * @throws {AppError} why the run failed
 */
export type Execute = (emit: Emit, signal: AbortSignal) => Promise<RunOutput>
