import type { ReactNode } from 'react'
import { Badge } from '../kit/badge'
import { byteSize } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import type { Variant } from './data'
import { FITS } from './labels'

const texts = catalog.fit

/** Whether it fits into this machine's memory, and why: weights and context apart. */
export function Fit({ variant }: { variant: Variant }) {
  const { fit, fitReason, sizeBytes, contextBytes, contextTokens, filename } = variant
  return (
    <div className="flex flex-col gap-1.5 rounded-lg border bg-sunken/50 px-3 py-2.5 text-sm">
      <p className="flex items-start gap-2">
        <Badge tone={FITS[fit].tone} className="shrink-0">
          {FITS[fit].label}
        </Badge>
        <span className="min-w-0">{fitReason}</span>
      </p>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
        {sizeBytes !== null && <Part name={texts.weights} value={byteSize(sizeBytes)} />}
        {contextBytes !== null && contextTokens !== null && (
          <Part name={texts.context(contextTokens)} value={byteSize(contextBytes)} />
        )}
        {filename && <Part name={texts.file} value={<code className="break-all">{filename}</code>} />}
      </dl>
    </div>
  )
}

const Part = ({ name, value }: { name: string; value: ReactNode }) => (
  <div className="flex min-w-0 gap-1.5">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 font-medium">{value}</dd>
  </div>
)
