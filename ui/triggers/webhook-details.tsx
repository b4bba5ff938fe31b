import { Link } from '@tanstack/react-router'
import { KeyRound, Send } from 'lucide-react'
import { useState } from 'react'
import type { Trigger } from '../../src/control/triggers/schema'
import { ApiError } from '../api'
import { Button } from '../kit/button'
import { CodeBlock, CopyButton } from '../kit/copying'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Textarea } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts } from '../texts/triggers'
import { mistakeOfJson } from './create-dialog'
import { useHookUrl, usePatchTrigger, useTestDelivery } from './data'
import { SecretField } from './secret-field'
import { type Language, SIGNING_EXAMPLES } from './signing'

const LANGUAGES = [
  { value: 'curl', label: texts.webhook.languages.curl },
  { value: 'node', label: texts.webhook.languages.node },
  { value: 'python', label: texts.webhook.languages.python },
] as const

interface WebhookDetailsProps {
  trigger: Trigger
  /** Known only since it was typed or generated on this very page. */
  secret: string | null
  onSecret: (secret: string) => void
}

/** How to deliver to a webhook, and a delivery to try it. */
export function WebhookDetails({ trigger, secret, onSecret }: WebhookDetailsProps) {
  const url = useHookUrl(trigger.id)
  const [language, setLanguage] = useState<Language>('curl')
  const [renewing, setRenewing] = useState(false)
  if (!url) return null
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex min-w-0 items-center gap-1 rounded-lg border bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 text-xs break-all">{url}</code>
        <CopyButton text={url} label={texts.webhook.copyAddress} />
      </div>
      <Segmented label={texts.webhook.language} value={language} onChange={setLanguage} options={LANGUAGES} />
      <CodeBlock label={texts.webhook.example} text={SIGNING_EXAMPLES[language](url)} />
      {secret === null ? (
        <p className="text-sm text-muted">{texts.webhook.secretUnknown}</p>
      ) : (
        <TestDelivery id={trigger.id} secret={secret} />
      )}
      <Button
        size="sm"
        className="self-start"
        icon={<KeyRound aria-hidden className="size-3.5" />}
        onClick={() => setRenewing(true)}
      >
        {texts.webhook.renew}
      </Button>
      {renewing && <RenewDialog id={trigger.id} onClose={() => setRenewing(false)} onRenewed={onSecret} />}
    </div>
  )
}

function TestDelivery({ id, secret }: { id: string; secret: string }) {
  const [body, setBody] = useState('{"hello": "world"}')
  const test = useTestDelivery(id, secret)
  return (
    <form
      aria-label={texts.delivery.title}
      onSubmit={(event) => {
        event.preventDefault()
        test.mutate(body)
      }}
      className="flex flex-col gap-3"
    >
      <Field label={texts.delivery.body} hint={texts.delivery.hint} error={mistakeOfJson(body)}>
        <Textarea
          rows={2}
          className="font-mono text-xs"
          spellCheck={false}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
      </Field>
      <Button
        type="submit"
        className="self-start"
        pending={test.isPending}
        icon={<Send aria-hidden className="size-3.5" />}
      >
        {texts.delivery.submit}
      </Button>
      {test.error && (
        <ErrorNotice
          title={
            test.error instanceof ApiError
              ? texts.delivery.refusedWith(test.error.status)
              : texts.delivery.refused
          }
          error={test.error}
        />
      )}
      {test.data && <Delivered fired={test.data} />}
    </form>
  )
}

const Delivered = ({ fired }: { fired: NonNullable<ReturnType<typeof useTestDelivery>['data']> }) => (
  <Notice tone={fired.status === 'failed' ? 'warn' : 'info'}>
    <p className="font-medium">
      {texts.delivery.delivered[fired.status]}{' '}
      <Link to="/runs/$id" params={{ id: fired.runId }} className="underline underline-offset-2">
        {texts.delivery.openRun}
      </Link>
    </p>
    <p className="break-words">{fired.error ?? fired.output}</p>
  </Notice>
)

interface RenewDialogProps {
  id: string
  onClose: () => void
  onRenewed: (secret: string) => void
}

function RenewDialog({ id, onClose, onRenewed }: RenewDialogProps) {
  const [secret, setSecret] = useState('')
  const patch = usePatchTrigger(id)
  const toast = useToast()
  const save = () =>
    patch.mutate(
      { config: { secret } },
      {
        onSuccess: () => {
          onRenewed(secret)
          onClose()
          toast(texts.renew.done)
        },
      },
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.renew.title}
      description={texts.renew.description}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" disabled={secret.trim() === ''} pending={patch.isPending} onClick={save}>
            {texts.renew.submit}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <SecretField value={secret} onChange={setSecret} />
        {patch.error && <ErrorNotice title={texts.renew.failed} error={patch.error} />}
      </div>
    </Dialog>
  )
}
