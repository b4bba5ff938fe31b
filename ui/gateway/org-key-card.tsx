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

const PROVIDERS: readonly { value: Provider; label: string }[] = [
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
]
const SOURCES = { none: 'not set', environment: 'set by the deployment', stored: 'stored at the gateway' }

/** The key that a team's gateway puts in for developers billed to the organization. It goes from here to the gateway. */
export function OrgKeyCard({ gateway }: { gateway: Gateway }) {
  const personal = gateway.heartbeat?.mode === 'personal'
  return (
    <Card
      title="Organization key"
      description="Goes from this page straight to the gateway, never through the control plane, and is never shown again."
    >
      {personal ? (
        <p className="text-sm text-muted">
          {gateway.name} is a personal gateway: it forwards the credential of whoever uses it, so it has no
          organization key. A gateway in team mode has one.
        </p>
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
        <Field
          label="Address of this gateway"
          hint="As this browser reaches it."
          className="max-w-md flex-1 basis-64"
        >
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
          Ask the gateway
        </Button>
      </form>
      {read.error && <Refused error={read.error} title="The gateway was not asked" />}
      {read.data &&
        PROVIDERS.map(({ value, label }) => (
          <ProviderKey
            key={value}
            provider={value}
            label={label}
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
  label: string
  place: Place
  status: OrgKeyStatus
  onChanged: () => void
}

function ProviderKey({ provider, label, place, status, onChanged }: ProviderKeyProps) {
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
    onSuccess: () => done(`The gateway has the ${label} key.`),
  })
  const remove = useMutation({
    mutationFn: () => removeOrgKey(place, provider),
    onSuccess: () => done(`The ${label} key is removed.`),
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
        label={`${label} key`}
        aside={<Badge tone={configured ? 'good' : 'neutral'}>{SOURCES[source]}</Badge>}
        hint={
          locked
            ? 'The deployment sets it by environment, so it cannot be replaced from here.'
            : 'For model endpoints only.'
        }
      >
        <PasswordInput
          autoComplete="off"
          disabled={locked}
          placeholder={configured ? 'Replace it…' : 'Paste the key'}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </Field>
      {!locked && (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={save.isPending} disabled={value.trim() === ''}>
            {configured ? 'Replace key' : 'Set key'}
          </Button>
          {configured && (
            <Button pending={remove.isPending} onClick={() => remove.mutate()}>
              Remove
            </Button>
          )}
        </div>
      )}
      {error && <Refused error={error} title="The key was not changed" />}
    </form>
  )
}
