import { Star } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { Badge } from '../kit/badge'
import { byteSize, engineName } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import type { Variant } from './data'
import { FITS } from './labels'

const texts = catalog.variants

interface VariantListProps {
  variants: readonly Variant[]
  chosen: Variant
  onChange: (variant: Variant) => void
}

/** Two engines may offer the same file name. */
export const keyOf = ({ engine, id }: Pick<Variant, 'engine' | 'id'>) => `${engine} ${id}`

/** The downloads of a model, one of them chosen. */
export const VariantList = ({ variants, chosen, onChange }: VariantListProps) => (
  <RadioGroup.Root
    aria-label={texts.title}
    value={keyOf(chosen)}
    onValueChange={(key) => onChange(variants.find((one) => keyOf(one) === key) ?? chosen)}
    className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-lg border"
  >
    {variants.map((variant) => (
      <RadioGroup.Item
        key={keyOf(variant)}
        value={keyOf(variant)}
        className="group flex w-full items-center gap-3 px-3 py-2 text-left text-sm transition-colors duration-75 -outline-offset-2 hover:bg-sunken/60 data-[state=checked]:bg-sunken/60"
      >
        <span
          aria-hidden
          className="flex size-4 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface group-data-[state=checked]:border-accent"
        >
          <RadioGroup.Indicator className="size-2 rounded-full bg-accent" />
        </span>
        <Described
          variant={variant}
          severalEngines={variants.some(({ engine }) => engine !== chosen.engine)}
        />
      </RadioGroup.Item>
    ))}
  </RadioGroup.Root>
)

function Described({ variant, severalEngines }: { variant: Variant; severalEngines: boolean }) {
  const { label, quality, sizeBytes, fit, recommended, engine, modality } = variant
  return (
    <>
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="font-medium">{label}</span>
        {severalEngines && <Badge>{engineName(engine, modality)}</Badge>}
        {recommended && (
          <Badge tone="accent" icon={<Star aria-hidden />}>
            {texts.recommended}
          </Badge>
        )}
        {quality !== 'unknown' && <span className="text-xs text-muted">{texts.quality(quality)}</span>}
      </span>
      <span className="flex shrink-0 items-center justify-end gap-x-2 gap-y-1 max-sm:flex-col max-sm:items-end">
        <span className="text-xs text-muted">
          {sizeBytes === null ? texts.sizeUnknown : byteSize(sizeBytes)}
        </span>
        <span className="flex justify-end sm:w-20">
          <Badge tone={FITS[fit].tone}>{FITS[fit].label}</Badge>
        </span>
      </span>
    </>
  )
}
