import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { texts } from '../texts/kit'

interface Shown {
  id: number
  message: string
  tone: ToastTone
}

type ToastTone = 'good' | 'bad'
type Toast = (message: string, tone?: ToastTone) => void

/** More at once is a wall that nobody reads. */
const MOST = 3
const ToastContext = createContext<Toast>(() => {})

/**
 * Confirms something that worked: `const toast = useToast(); toast('Saved.')`. Errors belong in an `ErrorNotice`; only
 * what failed out of sight, after the person had gone elsewhere, is a toast of the tone `bad`.
 */
export const useToast = () => useContext(ToastContext)

export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Shown[]>([])
  const toast = useCallback(
    (message: string, tone: ToastTone = 'good') =>
      setShown((now) => [...now, { id: (now.at(-1)?.id ?? 0) + 1, message, tone }].slice(-MOST)),
    [],
  )
  return (
    <ToastContext.Provider value={toast}>
      <Radix.Provider duration={4_000} swipeDirection="right">
        {children}
        {shown.map(({ id, message, tone }) => (
          <Radix.Root
            key={id}
            onOpenChange={(open) => !open && setShown((now) => now.filter((one) => one.id !== id))}
            className="flex animate-rise-in items-center gap-2.5 rounded-lg border bg-raised py-2 pr-2 pl-3 text-sm shadow-raised"
          >
            {tone === 'good' ? (
              <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
            ) : (
              <CircleAlert aria-hidden className="size-4 shrink-0 text-bad" />
            )}
            <Radix.Description className="min-w-0 flex-1">{message}</Radix.Description>
            <Radix.Close
              aria-label={texts.dismissToast}
              className="rounded-md p-1 text-muted hover:bg-sunken hover:text-text"
            >
              <X aria-hidden className="size-3.5" />
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className="fixed right-4 bottom-4 z-60 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 outline-none max-md:bottom-20" />
      </Radix.Provider>
    </ToastContext.Provider>
  )
}
