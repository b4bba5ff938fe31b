import { useQuery } from '@tanstack/react-query'
import { control, inference, ok } from '../api'

const REFRESH_MS = 10_000
const LATEST = 6

export const useStats = () =>
  useQuery({
    queryKey: ['dashboard', 'stats'],
    queryFn: () => ok(control.stats.get()),
    refetchInterval: REFRESH_MS,
  })

export const useLatestRuns = () =>
  useQuery({
    queryKey: ['dashboard', 'runs'],
    queryFn: async () => (await ok(control.runs.get({ query: { limit: LATEST } }))).runs,
    refetchInterval: REFRESH_MS,
  })

export const useLatestSessions = () =>
  useQuery({
    queryKey: ['dashboard', 'sessions'],
    queryFn: async () => (await ok(control.sessions.get({ query: { limit: LATEST } }))).sessions,
    refetchInterval: REFRESH_MS,
  })

export const useModels = () =>
  useQuery({
    queryKey: ['dashboard', 'models'],
    queryFn: async () => (await ok(inference.admin.models.get())).models,
    refetchInterval: REFRESH_MS,
  })
