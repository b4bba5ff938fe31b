import { Link } from '@tanstack/react-router'
import type { Modality } from '../../src/inference/models/schema'
import { Field } from '../kit/field'
import { Select } from '../kit/select'
import { Worded } from '../kit/worded'
import type { ModelView } from '../registries/data'
import { BINDING_LABELS, MODALITY_LABELS } from '../registries/labels'
import { texts as samples } from '../texts/samples'
import type { Chosen } from './install-dialog'
import { fitting, type Slot } from './slots'

const texts = samples.slots

interface SlotFieldsProps {
  slots: Slot[]
  models: ModelView[]
  chosen: Chosen
  /** Says at each slot without a model that it needs one. */
  missing: boolean
  onChoose: (slot: string, logicalId: string) => void
}

/** A choice per slot, among the registered models that fit it. */
export const SlotFields = ({ slots, models, chosen, missing, onChoose }: SlotFieldsProps) =>
  slots.map((slot) => {
    const fits = fitting(models, slot)
    return (
      <Field
        key={slot.name}
        required
        label={slot.label}
        hint={fits.length === 0 ? <NoneFits slot={slot} /> : <Uses slot={slot} />}
        error={missing && !chosen[slot.name] ? texts.missing : undefined}
      >
        <Select
          value={chosen[slot.name] ?? ''}
          onChange={(id) => onChoose(slot.name, id)}
          disabled={fits.length === 0}
          placeholder={fits.length === 0 ? texts.noneFits : texts.placeholder}
          options={fits.map(({ logicalId, binding }) => ({
            value: logicalId,
            label: logicalId,
            hint: BINDING_LABELS[binding.binding],
          }))}
          className="w-full"
        />
      </Field>
    )
  })

const Uses = ({ slot: { uses } }: { slot: Slot }) =>
  uses.length === 1
    ? uses[0]!.description
    : texts.uses(uses.map(({ sample }) => sample).join(', '), uses[0]!.description)

const NoneFits = ({ slot: { modality } }: { slot: Slot }) => (
  <Worded
    text={texts.noneFitsHint}
    with={{
      kind: MODALITY_LABELS[(modality ?? 'chat') as Modality],
      add: (
        <Link to="/registries" className="underline hover:text-text">
          {texts.add}
        </Link>
      ),
    }}
  />
)
