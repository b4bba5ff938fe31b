import { Link } from '@tanstack/react-router'
import { Settings2 } from 'lucide-react'
import { Combobox } from '../kit/combobox'

interface ModelPickerProps {
  models: readonly { logicalId: string; binding: { model: string } }[]
  value: string | null
  onChange: (id: string) => void
}

export const ModelPicker = ({ models, value, onChange }: ModelPickerProps) => (
  <Combobox
    label="Model"
    value={value}
    onChange={onChange}
    options={models.map(({ logicalId, binding }) => ({
      value: logicalId,
      label: logicalId,
      hint: binding.model === logicalId ? undefined : binding.model,
    }))}
    placeholder="No model"
    searchPlaceholder="Find a model…"
    empty="No model of this name."
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
