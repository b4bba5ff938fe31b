import { CodeBlock } from '../kit/copying'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { useRecord } from './data'

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
      title="Record"
      description="All that was recorded of this request. Messages are in it only where the level is full."
    >
      {error ? (
        <ErrorNotice error={error} title="The record could not be loaded" onRetry={() => void refetch()} />
      ) : data ? (
        <CodeBlock text={JSON.stringify(data, null, 2)} label="record" />
      ) : (
        <Skeleton className="h-64 w-full rounded-lg" />
      )}
    </Dialog>
  )
}
