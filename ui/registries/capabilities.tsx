import { ScanSearch } from 'lucide-react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Tooltip } from '../kit/tooltip'
import { texts as registries } from '../texts/registries'
import { isManaged, isTalkative, type ModelView, useCapabilities } from './data'

const texts = registries.capabilities

/** What a model can do. One of this machine is asked only when somebody wants to know: that loads it. */
export function Capabilities({ model }: { model: ModelView }) {
  const { data, isFetching, error, refetch } = useCapabilities(model)
  const { modality } = model.binding
  if (!isTalkative(modality)) return null
  if (!data && !isManaged(model)) return null
  if (!data) {
    return (
      <Tooltip label={error ? error.message : texts.askHint}>
        <Button
          size="sm"
          variant="ghost"
          className="h-5! px-1.5!"
          pending={isFetching}
          icon={<ScanSearch aria-hidden className="size-3" />}
          onClick={() => void refetch()}
        >
          {error ? texts.askFailed : texts.ask}
        </Button>
      </Tooltip>
    )
  }
  const chips = [
    data.toolCalling && texts.tools,
    data.structuredOutput && texts.structuredOutput,
    data.vision && modality !== 'vision' && texts.vision,
    data.reasoning && texts.reasoning,
    data.maxContext !== null && texts.context(contextSize(data.maxContext)),
  ]
  return chips.filter(Boolean).map((chip) => (
    <Badge key={String(chip)} tone="accent">
      {chip}
    </Badge>
  ))
}

/** `32k`; odd sizes as they are. */
export const contextSize = (tokens: number): string =>
  tokens >= 1024 ? `${Math.round(tokens / 1024)}k` : String(tokens)
