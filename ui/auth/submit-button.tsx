import type { ReactNode } from 'react'
import { Button } from '../kit/button'
import { texts } from '../texts/auth'
import { waitText } from './problems'

interface SubmitButtonProps {
  pending: boolean
  /** Seconds until the server takes another try. */
  wait: number
  size?: 'lg'
  className?: string
  children: ReactNode
}

/** Sends a form whose tries the server may slow down, and says for how long. */
export const SubmitButton = ({ pending, wait, size, className, children }: SubmitButtonProps) => (
  <Button
    type="submit"
    variant="primary"
    size={size}
    pending={pending}
    disabled={wait > 0}
    className={className}
  >
    {wait > 0 ? texts.tryAgainIn(waitText(wait)) : children}
  </Button>
)
