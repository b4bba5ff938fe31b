import { Link } from '@tanstack/react-router'
import { Settings2 } from 'lucide-react'
import { Combobox } from '../kit/combobox'
import { type Partner, partnerKey } from './partner'

interface PartnerPickerProps {
  models: readonly { logicalId: string; binding: { model: string } }[]
  agents: readonly { id: string; name: string }[]
  value: Partner | null
  onChange: (partner: Partner) => void
}

interface Choice {
  partner: Partner
  label: string
  hint?: string
}

export function PartnerPicker({ models, agents, value, onChange }: PartnerPickerProps) {
  const choices: Choice[] = [
    ...models.map(({ logicalId, binding }) => ({
      partner: { kind: 'model' as const, id: logicalId },
      label: logicalId,
      hint: binding.model === logicalId ? undefined : binding.model,
    })),
    ...agents.map(({ id, name }) => ({
      partner: { kind: 'agent' as const, id },
      label: name,
      hint: 'agent',
    })),
  ]
  // Only the first agents are loaded, and the one in use may be another.
  if (value?.kind === 'agent' && !agents.some(({ id }) => id === value.id)) {
    choices.push({ partner: value, label: value.id, hint: 'agent' })
  }
  return (
    <Combobox
      label={value?.kind === 'agent' ? 'Agent' : 'Model'}
      value={value && partnerKey(value)}
      onChange={(key) => onChange(choices.find(({ partner }) => partnerKey(partner) === key)!.partner)}
      options={choices.map(({ partner, label, hint }) => ({ value: partnerKey(partner), label, hint }))}
      placeholder="No model"
      searchPlaceholder={agents.length > 0 ? 'Find a model or agent…' : 'Find a model…'}
      empty="Nothing of this name."
      footer={
        <Link
          to="/registries"
          className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-sunken hover:text-text"
        >
          <Settings2 aria-hidden className="size-3.5" />
          Add or change models
        </Link>
      }
    />
  )
}
