import { Link } from '@tanstack/react-router'
import { CalendarClock, ChevronDown, Trash2, Webhook } from 'lucide-react'
import { useId, useState } from 'react'
import type { Trigger } from '../../src/control/triggers/schema'
import { Badge } from '../kit/badge'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { CodeBlock } from '../kit/copying'
import { ErrorNotice, Notice } from '../kit/notices'
import { RelativeTime } from '../kit/relative-time'
import { Switch } from '../kit/switch'
import { Worded } from '../kit/worded'
import { texts as triggers } from '../texts/triggers'
import { usePatchTrigger } from './data'
import { NextFires } from './next-fires'
import { WebhookDetails } from './webhook-details'

const texts = triggers.card

interface TriggerCardProps {
  trigger: Trigger
  withAgent: boolean
  secret: string | null
  onSecret: (secret: string) => void
  onDelete: () => void
  /** A new one shows what comes next at once. */
  startsOpen: boolean
}

export function TriggerCard({
  trigger,
  withAgent,
  secret,
  onSecret,
  onDelete,
  startsOpen,
}: TriggerCardProps) {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? startsOpen
  const patch = usePatchTrigger(trigger.id)
  const details = useId()
  const name = nameOf(trigger)
  const Icon = trigger.kind === 'schedule' ? CalendarClock : Webhook
  return (
    <li className="min-w-0 rounded-xl border bg-surface shadow-card">
      <div className="flex min-w-0 items-center gap-3 px-4 py-3">
        <Icon aria-hidden className="size-4 shrink-0 text-muted max-sm:hidden" />
        <div className="flex min-w-0 flex-1 flex-col gap-0.5">
          <p className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
            <span
              className={classes('min-w-0 truncate font-medium', trigger.kind === 'schedule' && 'font-mono')}
            >
              {name}
            </span>
            <span className="flex max-w-40 min-w-0">
              <Badge>{trigger.version ?? trigger.content_hash}</Badge>
            </span>
          </p>
          {withAgent && <AgentLink id={trigger.agent_id} />}
          <Facts trigger={trigger} />
        </div>
        <Switch
          aria-label={texts.enabled(name)}
          checked={trigger.enabled}
          disabled={patch.isPending}
          onChange={(enabled) => patch.mutate({ enabled })}
        />
        <IconButton
          label={texts.delete(name)}
          icon={<Trash2 aria-hidden className="size-4" />}
          onClick={onDelete}
        />
        <IconButton
          label={texts.details(name)}
          aria-expanded={open}
          aria-controls={details}
          icon={
            <ChevronDown
              aria-hidden
              className={classes('size-4 transition-transform', open && 'rotate-180')}
            />
          }
          onClick={() => setChosen(!open)}
        />
      </div>
      {patch.error && <ErrorNotice title={texts.patchFailed} error={patch.error} className="mx-4 mb-3" />}
      {trigger.last_error && (
        <div className="px-4 pb-3">
          <Notice tone="warn">
            <p className="font-medium">{texts.lastFailed}</p>
            <p className="break-words">{trigger.last_error}</p>
          </Notice>
        </div>
      )}
      <div id={details} hidden={!open} className="border-t px-4 py-4">
        {open &&
          (trigger.kind === 'schedule' ? (
            <ScheduleDetails trigger={trigger} />
          ) : (
            <WebhookDetails trigger={trigger} secret={secret} onSecret={onSecret} />
          ))}
      </div>
    </li>
  )
}

const AgentLink = ({ id }: { id: string }) => (
  <Link
    to="/agents/$id"
    params={{ id }}
    search={{ tab: 'triggers' }}
    className="truncate text-sm text-muted underline-offset-2 hover:text-text hover:underline"
  >
    {id}
  </Link>
)

/** Two webhooks differ by nothing that a person knows but by when they were made; their ids end differently. */
export const nameOf = ({ kind, config, id }: Trigger): string =>
  kind === 'schedule' ? (config.cron ?? '') : texts.webhook(id.slice(-6))

const Facts = ({ trigger: { enabled, last_fired_at, next_fire_at, missed_fires } }: { trigger: Trigger }) => (
  <p className="flex flex-wrap gap-x-3 text-xs text-muted">
    <span>
      {last_fired_at ? (
        <Worded text={texts.fired} with={{ when: <RelativeTime value={last_fired_at} /> }} />
      ) : (
        texts.neverFired
      )}
    </span>
    {next_fire_at && (
      <span>
        <Worded text={texts.next} with={{ when: <RelativeTime value={next_fire_at} /> }} />
      </span>
    )}
    {!enabled && <span>{texts.off}</span>}
    {missed_fires > 0 && <span className="text-warn">{texts.missed(missed_fires)}</span>}
  </p>
)

const ScheduleDetails = ({ trigger: { config, enabled } }: { trigger: Trigger }) => (
  <div className="flex min-w-0 flex-col gap-4">
    {!enabled && <p className="text-sm text-muted">{texts.offHint}</p>}
    <NextFires cron={config.cron ?? ''} />
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-sm font-medium">{texts.input}</p>
      <CodeBlock label={texts.theInput} text={JSON.stringify(config.input ?? null, null, 2)} />
    </div>
  </div>
)
