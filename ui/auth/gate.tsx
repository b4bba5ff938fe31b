import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { Spinner } from '../kit/spinner'
import { texts } from '../texts/auth'
import { AccountProvider, useForgetOnLeave, useStatus } from './data'
import { LoginScreen } from './login-screen'
import { SetupScreen } from './setup-screen'
import { Unreachable } from './unreachable'
import { Welcome } from './welcome'

/** Lets in who is signed in; everybody else gets the one screen that leads there. */
export function Gate({ children }: { children: ReactNode }) {
  const status = useStatus()
  const [isNew, setIsNew] = useState(false)
  useForgetOnLeave(status.data?.user?.id)

  if (!status.data) {
    if (!status.error) return <Opening />
    return (
      <Unreachable error={status.error} trying={status.isFetching} onRetry={() => void status.refetch()} />
    )
  }
  if (status.data.setup_required) {
    // At once, or the application would show for a moment before the welcome does.
    return <SetupScreen onDone={() => flushSync(() => setIsNew(true))} />
  }
  if (!status.data.user) return <LoginScreen />
  return (
    <AccountProvider key={status.data.user.id} value={status.data.user}>
      {isNew ? <Welcome onLeave={() => setIsNew(false)} /> : children}
    </AccountProvider>
  )
}

const Opening = () => (
  <main className="flex min-h-dvh items-center justify-center text-faint">
    <Spinner label={texts.opening} />
  </main>
)
