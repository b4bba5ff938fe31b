import { useState } from 'react'
import type { IoPolicy } from '../../src/control/agents/schema'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { Segmented } from '../kit/segmented'
import { useToast } from '../kit/toasts'
import { texts as agents } from '../texts/agents'
import { useIoPolicy, useSetIoPolicy } from './data'

const texts = agents.policy

const LEVELS = [
  { value: 'off', label: texts.levels.off },
  { value: 'metadata', label: texts.levels.metadata },
  { value: 'full', label: texts.levels.full },
] as const
type Level = (typeof LEVELS)[number]['value']

/** What runs of this agent keep of their inputs and outputs. */
export function PolicyPane({ id }: { id: string }) {
  const { data, error, refetch } = useIoPolicy(id)
  if (error) {
    return <ErrorNotice title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <SkeletonRows rows={4} label={texts.loading} />
  return <PolicyForm key={data.updated_at} id={id} policy={data} />
}

function PolicyForm({ id, policy }: { id: string; policy: IoPolicy }) {
  const [level, setLevel] = useState<Level>(policy.io_capture)
  const [seconds, setSeconds] = useState(policy.io_retention_seconds?.toString() ?? '')
  const [keys, setKeys] = useState(linesOf(policy.redact_rules?.keys))
  const [patterns, setPatterns] = useState(linesOf(policy.redact_rules?.patterns))
  const [mistake, setMistake] = useState<string | null>(null)
  const save = useSetIoPolicy(id)
  const toast = useToast()

  function submit() {
    const wrong = /^\d*$/.test(seconds.trim()) ? null : texts.retentionMistake
    setMistake(wrong)
    if (wrong) return
    save.mutate(
      {
        io_capture: level,
        io_retention_seconds: seconds.trim() === '' ? null : Number(seconds),
        redact_rules: rulesOf(keys, patterns),
      },
      { onSuccess: () => toast(texts.saved) },
    )
  }

  return (
    <Card title={texts.title} description={texts.description}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        className="flex max-w-2xl flex-col gap-5"
      >
        <Segmented label={texts.level} value={level} onChange={setLevel} options={LEVELS} />
        {policy.capped && (
          <Notice tone="warn">
            {texts.capped({
              effective: nameOf(policy.effective),
              ceiling: nameOf(policy.ceiling),
              topology: nameOf(policy.topology_default),
            })}
          </Notice>
        )}
        <Field label={texts.retention} hint={texts.retentionHint} error={mistake}>
          <Input
            inputMode="numeric"
            value={seconds}
            onChange={(event) => setSeconds(event.target.value)}
            className="max-w-40"
          />
        </Field>
        <Field label={texts.keys} hint={texts.keysHint}>
          <Textarea
            rows={3}
            spellCheck={false}
            value={keys}
            onChange={(event) => setKeys(event.target.value)}
          />
        </Field>
        <Field label={texts.patterns} hint={texts.patternsHint}>
          <Textarea
            rows={3}
            spellCheck={false}
            className="font-mono"
            value={patterns}
            onChange={(event) => setPatterns(event.target.value)}
          />
        </Field>
        {save.error && <ErrorNotice title={texts.saveFailed} error={save.error} />}
        <Button type="submit" variant="primary" pending={save.isPending} className="self-start">
          {texts.save}
        </Button>
      </form>
    </Card>
  )
}

const nameOf = (level: Level): string => texts.levels[level].toLowerCase()

const linesOf = (rules: string[] | undefined): string => rules?.join('\n') ?? ''

function rulesOf(keys: string, patterns: string) {
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')
  const rules = { keys: lines(keys).map((key) => key.trim()), patterns: lines(patterns) }
  return rules.keys.length + rules.patterns.length === 0 ? null : rules
}
