import { Gauge, SearchX } from 'lucide-react'
import { Button } from '../kit/button'
import { EmptyState } from '../kit/placeholders'
import { texts } from '../texts/catalog'

export const ChooseOne = () => (
  <EmptyState icon={<Gauge aria-hidden />} title={texts.detail.choose}>
    {texts.detail.chooseHint}
  </EmptyState>
)

export const NothingFound = ({ onReset }: { onReset: () => void }) => (
  <EmptyState
    icon={<SearchX aria-hidden />}
    title={texts.list.empty}
    action={<Button onClick={onReset}>{texts.list.reset}</Button>}
  >
    {texts.list.emptyHint}
  </EmptyState>
)
