import { RotateCw } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Frame } from './frame'

interface UnreachableProps {
  error: unknown
  trying: boolean
  onRetry: () => void
}

export const Unreachable = ({ error, trying, onRetry }: UnreachableProps) => (
  <Frame
    title="Tycho does not answer"
    description="The page is here, but the control plane behind it is not. This page tries again by itself."
  >
    <div className="flex flex-col gap-4">
      <ErrorNotice error={error} />
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        <li>
          Is it running? Start it with <code className="text-text">tycho</code> or{' '}
          <code className="text-text">npm start</code>.
        </li>
        <li>
          Did its port move? Open the address that the terminal printed, so that this page knows the new one.
        </li>
        <li>
          Is it on another computer? That address must be listed in{' '}
          <code className="text-text">SERVICE_CORS_ORIGINS</code>.
        </li>
      </ul>
      <Button
        size="lg"
        variant="primary"
        pending={trying}
        icon={<RotateCw aria-hidden className="size-4" />}
        onClick={onRetry}
      >
        Try again
      </Button>
    </div>
  </Frame>
)
