import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import type { Login, Setup } from '../../src/control/auth/schema'
import type { User } from '../../src/control/users/schema'
import { ApiError, control, ok } from '../api'
import { forgetToken, keepToken, onTokenChange, storedToken } from '../session'

const RETRY_MS = 3_000
const statusKey = (token: string | null) => ['auth', 'status', token]

const useToken = () => useSyncExternalStore(onTokenChange, storedToken)

const statusQuery = (token: string | null) =>
  queryOptions({
    queryKey: statusKey(token),
    queryFn: () => ok(control.auth.status.get()),
    staleTime: 60_000,
    retry: false,
  })

/** Asks before the first screen is there: nothing shows without the answer. */
export const askStatus = (queries: QueryClient) => queries.prefetchQuery(statusQuery(storedToken()))

/** Whether there is an account at all, and who is signed in here. While the plane is away it is asked again and again. */
export function useStatus() {
  const token = useToken()
  return useQuery({
    ...statusQuery(token),
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : false),
  })
}

/** What the server says after a sign-in becomes the state at once, so that no screen flashes in between. */
function useEnter() {
  const queries = useQueryClient()
  return ({ token, user }: { token: string; user: User }) => {
    queries.setQueryData(statusKey(token), { setup_required: false, user, providers: [] })
    keepToken(token)
  }
}

/** `onDone` comes before the application knows of the account. */
export function useSetup(onDone: () => void) {
  const enter = useEnter()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Setup) => ok(control.auth.setup.post(body)),
    onSuccess: (signedIn) => {
      onDone()
      enter(signedIn)
    },
    onError: (error) => {
      // Somebody else was faster: the sign-in screen is what this person needs.
      if (error instanceof ApiError && error.code === 'setup_already_complete')
        void queries.invalidateQueries({ queryKey: ['auth', 'status'] })
    },
  })
}

export function useLogin() {
  const enter = useEnter()
  return useMutation({ mutationFn: (body: Login) => ok(control.auth.login.post(body)), onSuccess: enter })
}

/** Signs out here even when the server cannot be told. */
export function useLogout() {
  return useMutation({ mutationFn: () => ok(control.auth.logout.post()), onSettled: () => forgetToken() })
}

/** The signed-in account changed: every screen shows it anew. */
export function useAccountChanged() {
  const queries = useQueryClient()
  const token = useToken()
  return (user: User) =>
    queries.setQueryData(statusKey(token), (status: object | undefined) => ({ ...status, user }))
}

/** What one account saw is not for the next one. */
export function useForgetOnLeave(userId: string | undefined) {
  const queries = useQueryClient()
  useEffect(
    () => () => {
      if (userId) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'auth' })
    },
    [userId, queries],
  )
}

const AccountContext = createContext<User | null>(null)
export const AccountProvider = AccountContext.Provider

/** The signed-in account; screens exist only while there is one. */
export function useAccount(): User {
  const user = useContext(AccountContext)
  if (!user) throw new Error('useAccount without AccountProvider')
  return user
}
