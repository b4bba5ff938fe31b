import { useState } from 'react'
import { Card } from '../kit/card'
import { CodeBlock } from '../kit/copying'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { Notice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { Select } from '../kit/select'
import { texts as gateway } from '../texts/gateway'
import { useGatewayAddress } from './address'
import { BILLINGS, type Billing, type Client, setupFor } from './setup'

const texts = gateway.setup
const CLIENTS = (['claude-code', 'codex'] as const).map((value) => ({ value, label: texts.clients[value] }))
const PLACEHOLDER = 'tygk_your-key'

/** How a client tool is pointed at the gateway, whoever pays. */
export function SetupGuide() {
  const [billing, setBilling] = useState<Billing>('none')
  return (
    <Card title={texts.title} description={texts.description}>
      <div className="flex flex-col gap-4">
        <Field label={texts.billing} hint={texts.billings[billing].hint}>
          <Select value={billing} onChange={setBilling} options={BILLINGS} />
        </Field>
        <SetupLines key={billing} billing={billing} gatewayKey={PLACEHOLDER} />
      </div>
    </Card>
  )
}

export function SetupLines({ billing, gatewayKey }: { billing: Billing; gatewayKey: string }) {
  const [url, setUrl] = useGatewayAddress()
  const [client, setClient] = useState<Client>('claude-code')
  const { steps, note } = setupFor({ client, billing, url: url.replace(/\/+$/, ''), key: gatewayKey })
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Segmented label={texts.client} value={client} onChange={setClient} options={CLIENTS} />
      <Field label={texts.address} hint={texts.addressHint}>
        <Input
          type="url"
          spellCheck={false}
          autoComplete="off"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      {steps.map(({ label, text }) => (
        <div key={label} className="flex min-w-0 flex-col gap-1.5">
          <p className="text-xs font-medium text-muted">{label}</p>
          <CodeBlock text={text} label={label} />
        </div>
      ))}
      {note && <Notice>{note}</Notice>}
    </div>
  )
}
