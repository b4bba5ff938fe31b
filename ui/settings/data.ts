import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Settings } from '../../src/control/settings/schema'
import { control, inference, ok } from '../api'

const PLATFORM = ['settings', 'platform']
const INFERENCE = ['settings', 'inference']

export const usePlatformSettings = () =>
  useQuery({ queryKey: PLATFORM, queryFn: () => ok(control.settings.get()) })

export function useChangeSettings() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changes: Record<string, unknown>) => ok(control.settings.patch(changes)),
    onSuccess: ({ apply_errors: _, ...settings }) => queries.setQueryData<Settings>(PLATFORM, settings),
  })
}

export const useInferenceSettings = () =>
  useQuery({ queryKey: INFERENCE, queryFn: () => ok(inference.admin.settings.get()) })

export function useChangeInferenceSettings() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changes: { maxResident: number | null }) => ok(inference.admin.settings.patch(changes)),
    onSuccess: (settings) => queries.setQueryData(INFERENCE, settings),
  })
}

export const useDiagnostics = () =>
  useQuery({ queryKey: ['settings', 'diagnostics'], queryFn: () => ok(inference.admin.diagnostics.get()) })
