import type { ModelView } from '../registries/data'
import { isTalkative } from '../registries/data'
import type { CatalogEntry } from './data'

/** A model to choose; samples that have a slot of the same name share the choice. */
export interface Slot {
  name: string
  label: string
  /** What it is for, in each of the samples. */
  uses: { sample: string; description: string }[]
  modality: string | null
}

export function slotsOf(samples: readonly CatalogEntry[]): Slot[] {
  const slots = new Map<string, Slot>()
  for (const { title, model_slots } of samples) {
    for (const [name, { label, description, modality }] of Object.entries(model_slots)) {
      const slot = slots.get(name) ?? { name, label, uses: [], modality }
      slot.uses.push({ sample: title, description })
      slots.set(name, slot)
    }
  }
  return [...slots.values()]
}

/** A slot without a modality takes whatever answers text with text. */
export const fitting = (models: readonly ModelView[], { modality }: Slot): ModelView[] =>
  models.filter(({ binding }) =>
    modality === null ? isTalkative(binding.modality) : binding.modality === modality,
  )

/** What to begin with: the only model that fits; where there are several, the choice is the person's. */
export const onlyFitting = (models: readonly ModelView[], slot: Slot): ModelView | undefined => {
  const fits = fitting(models, slot)
  return fits.length === 1 ? fits[0] : undefined
}
