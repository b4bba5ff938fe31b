import type { AgentDocument } from './ir'
import type { Call } from './ports'

/** What only a run that outlives its process can do. Interactive runs have none of it. */
export interface DurablePort {
  /** The run that the journal is of; child runs within it have ids of their own, but its journal. */
  runId: string
  /**
   * Opens a gate under its key, once, and waits until a person answers or its time is over. The wait is no work: a run
   * of which nothing but waits is left may be put away, and then this never resolves.
   */
  gate(gate: Gate, signal: AbortSignal): Promise<GateEnd>
  agents: ChildAgents
  activity: Activity
  /** Child runs that one run may have in all. */
  maxChildren: number
}

export interface Gate {
  /** Its place in the execution. */
  key: string
  prompt: string | null
  inputSchema: Record<string, unknown> | null
  /** Null waits for ever. */
  timeoutSeconds: number | null
  /** What the person is asked about. */
  input: unknown
}

export type GateEnd = { kind: 'answer'; value: unknown } | { kind: 'timeout' }

export interface AgentPin {
  agent: string
  version: string | null
  contentHash: string | null
}

/** The agents that a graph runs as its children. */
export interface ChildAgents {
  /**
   * The content that a pin means; it is kept for as long as runs refer to it.
   * @throws {AppError} there is no such agent, or it cannot be run
   */
  resolve(pin: AgentPin, call: Call): Promise<string>
  /** @throws {AppError} the content is gone */
  load(contentHash: string): Promise<AgentDocument>
}

/** How many steps are at work right now. Those that only wait for a person, or for their children, are not. */
export interface Activity {
  enter(): void
  leave(): void
}
