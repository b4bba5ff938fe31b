import { EyeOff } from 'lucide-react'
import type { Gateway } from '../../src/control/gateways/schema'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { useToast } from '../kit/toasts'
import { texts } from '../texts/gateway'
import { useBeginRecording } from './data'

/** Until an admin says so, a gateway forwards and remembers nothing. */
export const FirstRun = ({ gateways }: { gateways: Gateway[] }) =>
  gateways.map((gateway) => <Offer key={gateway.id} gateway={gateway} />)

function Offer({ gateway }: { gateway: Gateway }) {
  const begin = useBeginRecording()
  const toast = useToast()
  // A promise, since this card is gone before a callback would be called.
  const record = () =>
    void begin.mutateAsync(gateway.id).then(
      () => toast(texts.firstRun.done(gateway.name)),
      () => undefined,
    )
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <EyeOff aria-hidden className="size-4 shrink-0 text-muted" />
          {texts.firstRun.title(gateway.name)}
        </span>
      }
    >
      <div className="flex flex-col gap-4 text-sm">
        <div className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
          <Words title={texts.firstRun.recorded.title}>{texts.firstRun.recorded.list}</Words>
          <Words title={texts.firstRun.unrecorded.title}>{texts.firstRun.unrecorded.list}</Words>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button variant="primary" pending={begin.isPending} onClick={record}>
            {texts.firstRun.record}
          </Button>
          <p className="text-xs text-muted">{texts.firstRun.hint}</p>
        </div>
        {begin.error && <ErrorNotice error={begin.error} title={texts.firstRun.failed} />}
      </div>
    </Card>
  )
}

const Words = ({ title, children }: { title: string; children: string }) => (
  <div>
    <p className="font-medium">{title}</p>
    <p className="text-muted">{children}</p>
  </div>
)
