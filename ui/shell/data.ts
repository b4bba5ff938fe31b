import { useQuery } from '@tanstack/react-query'
import { ApiError, control, inference } from '../api'
import { texts } from '../texts/shell'

const CALM_MS = 15_000
const ALARMED_MS = 4_000

export type Health =
  | { state: 'ready'; warnings: string[] }
  /** It answers, and says what it lacks. */
  | { state: 'not-ready'; reason: string }
  | { state: 'unreachable'; reason: string }

interface Probed {
  data: unknown
  error: { value: unknown } | null
}

const probes = {
  control: () => control.readyz.get(),
  inference: () => inference.readyz.get(),
}
export type ProbedPlane = keyof typeof probes

/** How a plane is, asked every 15 s, and more often while something is wrong. */
export const useHealth = (plane: ProbedPlane) =>
  useQuery({
    queryKey: ['auth', 'health', plane],
    queryFn: async () => healthOf(await probes[plane]()),
    refetchInterval: ({ state }) => (state.data?.state === 'ready' ? CALM_MS : ALARMED_MS),
  }).data

function healthOf({ data, error }: Probed): Health {
  if (error === null) return { state: 'ready', warnings: (data as { warnings?: string[] }).warnings ?? [] }
  if (error.value instanceof ApiError) return { state: 'unreachable', reason: error.value.message }
  const { reason } = (error.value ?? {}) as { reason?: string }
  return { state: 'not-ready', reason: reason ?? texts.planes.noReason }
}
