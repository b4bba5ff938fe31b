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
import { useIoPolicy, useSetIoPolicy } from './data'

const LEVELS = [
  { value: 'off', label: 'Nothing' },
  { value: 'metadata', label: 'Sizes' },
  { value: 'full', label: 'Everything' },
] as const
type Level = (typeof LEVELS)[number]['value']

/** What runs of this agent keep of their inputs and outputs. */
export function PolicyPane({ id }: { id: string }) {
  const { data, error, refetch } = useIoPolicy(id)
  if (error) {
    return <ErrorNotice title="The policy could not be loaded" error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <SkeletonRows rows={4} label="Loading the policy" />
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
    const wrong = /^\d*$/.test(seconds.trim()) ? null : 'Write a whole number of seconds, or leave it empty.'
    setMistake(wrong)
    if (wrong) return
    save.mutate(
      {
        io_capture: level,
        io_retention_seconds: seconds.trim() === '' ? null : Number(seconds),
        redact_rules: rulesOf(keys, patterns),
      },
      { onSuccess: () => toast('The policy is saved. It counts from the next run on.') },
    )
  }

  return (
    <Card
      title="What is kept of runs"
      description="Inputs and outputs of every node, for the trace. The answer of a run is always kept."
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        className="flex max-w-2xl flex-col gap-5"
      >
        <Segmented label="Keep of inputs and outputs" value={level} onChange={setLevel} options={LEVELS} />
        {policy.capped && (
          <Notice tone="warn">
            This install keeps less: {nameOf(policy.effective)}. The setting for all runs allows “
            {nameOf(policy.ceiling)}”, this kind of install “{nameOf(policy.topology_default)}”.
          </Notice>
        )}
        <Field
          label="Keep them for (seconds)"
          hint="Empty: as long as the setting for all runs says."
          error={mistake}
        >
          <Input
            inputMode="numeric"
            value={seconds}
            onChange={(event) => setSeconds(event.target.value)}
            className="max-w-40"
          />
        </Field>
        <Field
          label="Hide values under these keys"
          hint="One per line, at any depth; capitals make no difference."
        >
          <Textarea
            rows={3}
            spellCheck={false}
            value={keys}
            onChange={(event) => setKeys(event.target.value)}
          />
        </Field>
        <Field label="Hide what matches these patterns" hint="One regular expression per line.">
          <Textarea
            rows={3}
            spellCheck={false}
            className="font-mono"
            value={patterns}
            onChange={(event) => setPatterns(event.target.value)}
          />
        </Field>
        {save.error && <ErrorNotice title="It is not saved" error={save.error} />}
        <Button type="submit" variant="primary" pending={save.isPending} className="self-start">
          Save policy
        </Button>
      </form>
    </Card>
  )
}

const nameOf = (level: Level): string => LEVELS.find(({ value }) => value === level)!.label.toLowerCase()

const linesOf = (texts: string[] | undefined): string => texts?.join('\n') ?? ''

function rulesOf(keys: string, patterns: string) {
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '')
  const rules = { keys: lines(keys).map((key) => key.trim()), patterns: lines(patterns) }
  return rules.keys.length + rules.patterns.length === 0 ? null : rules
}
