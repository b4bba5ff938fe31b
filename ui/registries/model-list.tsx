import { texts as registries } from '../texts/registries'
import type { ModelView } from './data'
import { ModelRow } from './model-row'

const texts = registries.list

export interface ModelActs {
  onTry: (model: ModelView) => void
  onEdit: (model: ModelView) => void
  onDelete: (model: ModelView) => void
}

export const ModelList = ({ models, ...acts }: ModelActs & { models: ModelView[] }) => (
  <ul aria-label={texts.label} className="divide-y divide-line">
    {models.map((model) => (
      <ModelRow key={model.logicalId} model={model} {...acts} />
    ))}
  </ul>
)
