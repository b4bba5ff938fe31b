import type { CaptureLevel } from '#kernel/db/tables'
import type { Env } from '#kernel/env'

const LEVELS: readonly CaptureLevel[] = ['off', 'metadata', 'full']
const TOPOLOGY_DEFAULT = { local: 'full', hosted: 'metadata' } as const

export interface Capture {
  /** What is kept of the run's inputs and outputs. */
  level: CaptureLevel
  ceiling: CaptureLevel
  topology_default: CaptureLevel
}

/** Resolved once per run: the least of the ceiling, the topology's default and the agent's own policy. */
export function captureLevel({
  ceiling,
  topology,
  policy,
}: {
  /** `settings.get('telemetry.io_capture')`, which the environment has already capped. */
  ceiling: CaptureLevel
  topology: Env['SERVICE_TOPOLOGY']
  policy?: CaptureLevel
}): Capture {
  const byTopology = TOPOLOGY_DEFAULT[topology]
  const level = least([ceiling, byTopology, policy ?? byTopology])
  return { level, ceiling, topology_default: byTopology }
}

const least = (levels: CaptureLevel[]): CaptureLevel =>
  LEVELS.find((level) => levels.includes(level)) ?? 'off'
