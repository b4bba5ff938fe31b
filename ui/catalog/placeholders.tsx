import { Gauge, SearchX } from 'lucide-react'
import { Button } from '../kit/button'
import { EmptyState } from '../kit/placeholders'

export const ChooseOne = () => (
  <EmptyState icon={<Gauge aria-hidden />} title="Choose a model">
    Its downloads show here, each with what it needs of this machine’s memory. The best that fits is chosen
    already.
  </EmptyState>
)

export const NothingFound = ({ onReset }: { onReset: () => void }) => (
  <EmptyState
    icon={<SearchX aria-hidden />}
    title="No model fits"
    action={<Button onClick={onReset}>Show all</Button>}
  >
    Only models that an engine of this machine can load are listed. Try another name, task or size.
  </EmptyState>
)
