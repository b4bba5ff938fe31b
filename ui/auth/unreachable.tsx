import { RotateCw } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Worded } from '../kit/worded'
import { texts as auth } from '../texts/auth'
import { texts as common } from '../texts/common'
import { Frame } from './frame'

const texts = auth.unreachable

interface UnreachableProps {
  error: unknown
  trying: boolean
  onRetry: () => void
}

export const Unreachable = ({ error, trying, onRetry }: UnreachableProps) => (
  <Frame title={texts.title} description={texts.description}>
    <div className="flex flex-col gap-4">
      <ErrorNotice error={error} />
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-muted">
        <li>
          <Worded
            text={texts.isRunning}
            with={{
              command: <code className="text-text">tycho</code>,
              script: <code className="text-text">npm start</code>,
            }}
          />
        </li>
        <li>{texts.portMoved}</li>
        <li>
          <Worded
            text={texts.otherComputer}
            with={{ variable: <code className="text-text">SERVICE_CORS_ORIGINS</code> }}
          />
        </li>
      </ul>
      <Button
        size="lg"
        variant="primary"
        pending={trying}
        icon={<RotateCw aria-hidden className="size-4" />}
        onClick={onRetry}
      >
        {common.tryAgain}
      </Button>
    </div>
  </Frame>
)
