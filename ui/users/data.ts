import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateUser, UpdateUser, User } from '../../src/control/users/schema'
import { control, ok } from '../api'

const USERS = ['users']

export const useUsers = () =>
  useQuery({ queryKey: USERS, queryFn: async () => (await ok(control.users.get())).users })

/** One's own account may be among them, so the sign-in state is asked for again too. */
function useUsersChanged() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: USERS }),
      queries.invalidateQueries({ queryKey: ['auth', 'status'] }),
    ])
}

export function useCreateUser() {
  const onSuccess = useUsersChanged()
  return useMutation({ mutationFn: (body: CreateUser) => ok(control.users.post(body)), onSuccess })
}

export function useUpdateUser() {
  const onSuccess = useUsersChanged()
  return useMutation({
    mutationFn: ({ id, ...body }: UpdateUser & { id: string }) => ok(control.users({ id }).patch(body)),
    onSuccess,
  })
}

export function useResetPassword() {
  const onSuccess = useUsersChanged()
  return useMutation({
    mutationFn: ({ id, password }: { id: string; password: string }) =>
      ok(control.users({ id }).password.post({ password })),
    onSuccess,
  })
}

export function useDeleteUser() {
  const onSuccess = useUsersChanged()
  return useMutation({ mutationFn: (id: string) => ok(control.users({ id }).delete()), onSuccess })
}

/** Whether this is the one account that keeps the install from having no admin. */
export const isLastAdmin = (user: User, all: readonly User[]): boolean =>
  user.role === 'admin' &&
  !user.disabled &&
  all.filter(({ role, disabled }) => role === 'admin' && !disabled).length === 1
