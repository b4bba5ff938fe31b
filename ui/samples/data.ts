import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CatalogEntry, Install, ReportEntry } from '../../src/control/samples/schema'
import { control, ok } from '../api'

export type { CatalogEntry, ReportEntry }

const SAMPLES = ['samples']

export const useSamples = () =>
  useQuery({ queryKey: SAMPLES, queryFn: async () => (await ok(control.samples.get())).samples })

/** Resolves with what became of each sample; one that failed does not keep the others out. */
export function useInstallSamples() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (installation: Install) =>
      (await ok(control.samples.install.post(installation))).report,
    // Also after a failure: what went before it is there.
    onSettled: () =>
      Promise.all(
        [SAMPLES, ['agents'], ['dashboard']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  })
}
