import { Link } from '@tanstack/react-router'
import { Settings2 } from 'lucide-react'
import { Combobox } from '../kit/combobox'
import { texts as chat } from '../texts/chat'
import { type Partner, partnerKey } from './partner'

const texts = chat.partner

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
      hint: texts.agentHint,
    })),
  ]
  // Only the first agents are loaded, and the one in use may be another.
  if (value?.kind === 'agent' && !agents.some(({ id }) => id === value.id)) {
    choices.push({ partner: value, label: value.id, hint: texts.agentHint })
  }
  return (
    <Combobox
      label={value?.kind === 'agent' ? texts.agent : texts.model}
      value={value && partnerKey(value)}
      onChange={(key) => onChange(choices.find(({ partner }) => partnerKey(partner) === key)!.partner)}
      options={choices.map(({ partner, label, hint }) => ({ value: partnerKey(partner), label, hint }))}
      placeholder={texts.none}
      searchPlaceholder={agents.length > 0 ? texts.find : texts.findModel}
      empty={texts.notFound}
      footer={
        <Link
          to="/registries"
          className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-sunken hover:text-text"
        >
          <Settings2 aria-hidden className="size-3.5" />
          {texts.manage}
        </Link>
      }
    />
  )
}
