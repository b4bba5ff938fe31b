import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChangePassword, CreateApiKey, UpdateMe } from '../../src/control/auth/schema'
import { control, ok } from '../api'
import { useAccountChanged } from '../auth/data'

const KEYS = ['api-keys']

export function useUpdateProfile() {
  const accountChanged = useAccountChanged()
  return useMutation({
    mutationFn: (body: UpdateMe) => ok(control.auth.me.patch(body)),
    onSuccess: accountChanged,
  })
}

export function useChangePassword() {
  const accountChanged = useAccountChanged()
  return useMutation({
    mutationFn: (body: ChangePassword) => ok(control.auth.me.password.post(body)),
    onSuccess: accountChanged,
  })
}

export const useApiKeys = () =>
  useQuery({ queryKey: KEYS, queryFn: async () => (await ok(control.auth['api-keys'].get())).api_keys })

export function useCreateApiKey() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: CreateApiKey) => ok(control.auth['api-keys'].post(body)),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS }),
  })
}

export function useRevokeApiKey() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ok(control.auth['api-keys']({ id }).delete()),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS }),
  })
}
