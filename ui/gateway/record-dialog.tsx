import { CodeBlock } from '../kit/copying'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { texts as gateway } from '../texts/gateway'
import { useRecord } from './data'

const texts = gateway.record

interface RecordDialogProps {
  sessionId: string
  requestId: string
  onClose: () => void
}

/** All that was recorded of one request, as the gateway wrote it. */
export function RecordDialog({ sessionId, requestId, onClose }: RecordDialogProps) {
  const { data, error, refetch } = useRecord(sessionId, requestId)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={texts.title}
      description={texts.description}
    >
      {error ? (
        <ErrorNotice error={error} title={texts.failed} onRetry={() => void refetch()} />
      ) : data ? (
        <CodeBlock text={JSON.stringify(data, null, 2)} label={texts.copied} />
      ) : (
        <Skeleton className="h-64 w-full rounded-lg" />
      )}
    </Dialog>
  )
}
