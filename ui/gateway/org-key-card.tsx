import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Gateway } from '../../src/control/gateways/schema'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { useToast } from '../kit/toasts'
import { texts as gatewayTexts } from '../texts/gateway'
import { useGatewayAddress } from './address'
import {
  helpWith,
  type OrgKeyStatus,
  type Place,
  type Provider,
  readOrgKey,
  removeOrgKey,
  setOrgKey,
} from './org-key'

const texts = gatewayTexts.orgKey
const PROVIDERS: readonly Provider[] = ['anthropic', 'openai']

/** The key that a team's gateway puts in for developers billed to the organization. It goes from here to the gateway. */
export function OrgKeyCard({ gateway }: { gateway: Gateway }) {
  const personal = gateway.heartbeat?.mode === 'personal'
  return (
    <Card title={texts.title} description={texts.description}>
      {personal ? (
        <p className="text-sm text-muted">{texts.personal(gateway.name)}</p>
      ) : (
        <OrgKeys gateway={gateway} />
      )}
    </Card>
  )
}

function OrgKeys({ gateway }: { gateway: Gateway }) {
  const [url, setUrl] = useGatewayAddress()
  const place: Place = { url, gatewayId: gateway.id }
  const read = useMutation({ mutationFn: () => readOrgKey(place) })
  function submit(event: FormEvent) {
    event.preventDefault()
    read.mutate()
  }
  return (
    <div className="flex flex-col gap-4">
      <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
        <Field label={texts.address} hint={texts.addressHint} className="max-w-md flex-1 basis-64">
          <Input
            type="url"
            spellCheck={false}
            autoComplete="off"
            value={url}
            onChange={(event) => {
              setUrl(event.target.value)
              read.reset()
            }}
          />
        </Field>
        <Button type="submit" pending={read.isPending} className="mb-6">
          {texts.ask}
        </Button>
      </form>
      {read.error && <Refused error={read.error} title={texts.askFailed} />}
      {read.data &&
        PROVIDERS.map((provider) => (
          <ProviderKey
            key={provider}
            provider={provider}
            place={place}
            status={read.data}
            onChanged={() => read.mutate()}
          />
        ))}
    </div>
  )
}

const Refused = ({ error, title }: { error: unknown; title: string }) => (
  <ErrorNotice error={error} title={title} help={helpWith(error, location.origin)} />
)

interface ProviderKeyProps {
  provider: Provider
  place: Place
  status: OrgKeyStatus
  onChanged: () => void
}

function ProviderKey({ provider, place, status, onChanged }: ProviderKeyProps) {
  const name = texts.providers[provider]
  const { configured, locked, source } = status.providers[provider]
  const [value, setValue] = useState('')
  const toast = useToast()
  const done = (words: string) => {
    setValue('')
    toast(words)
    onChanged()
  }
  const save = useMutation({
    mutationFn: () => setOrgKey(place, provider, value.trim()),
    onSuccess: () => done(texts.saved(name)),
  })
  const remove = useMutation({
    mutationFn: () => removeOrgKey(place, provider),
    onSuccess: () => done(texts.removed(name)),
  })
  const error = save.error ?? remove.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (value.trim()) save.mutate()
      }}
      className="flex flex-col gap-3 border-t pt-4"
    >
      <Field
        label={texts.key(name)}
        aside={<Badge tone={configured ? 'good' : 'neutral'}>{texts.sources[source]}</Badge>}
        hint={locked ? texts.locked : texts.keyHint}
      >
        <PasswordInput
          autoComplete="off"
          disabled={locked}
          placeholder={configured ? texts.pasteOther : texts.paste}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </Field>
      {!locked && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={save.isPending} disabled={value.trim() === ''}>
            {configured ? texts.replace : texts.set}
          </Button>
          {configured && (
            <Button pending={remove.isPending} onClick={() => remove.mutate()}>
              {texts.remove}
            </Button>
          )}
        </div>
      )}
      {error && <Refused error={error} title={texts.changeFailed} />}
    </form>
  )
}
