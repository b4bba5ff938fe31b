import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api'

/** A refusal is an answer: only a plane that cannot be reached, or is overloaded, is worth asking again. */
const worthRetrying = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503)

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 2 && worthRetrying(error),
        // This machine's own server needs no internet connection.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
