import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ConfirmDialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useToast } from '../kit/toasts'
import { type Prices, usePrices, useReprice, useUnpricedModels } from './data'
import { counted } from './format'
import { PriceForm } from './price-form'
import { RATES, withoutPrice } from './prices'

/** What models cost: a table that is followed by its next version, never changed. */
export function PricesCard() {
  const { data, error, refetch } = usePrices()
  const used = useUnpricedModels()
  const unpriced = withoutPrice(used ?? [], data?.prices ?? [])
  const [editing, setEditing] = useState(false)
  const [repricing, setRepricing] = useState(false)
  return (
    <Card
      flush
      title="Prices"
      description="Dollars for a million tokens. The most exact row counts: a model’s id, or its start and a star. Without a row a model is unpriced."
      actions={data && data.version > 0 && <Badge>version {data.version}</Badge>}
    >
      {(!data || !used) && !error && <SkeletonRows rows={3} label="Loading the prices" />}
      {error && !data && (
        <ErrorNotice
          error={error}
          title="The prices could not be loaded"
          onRetry={() => void refetch()}
          className="m-4"
        />
      )}
      {data && used && editing && (
        <PriceForm prices={data.prices} unpriced={unpriced} onClose={() => setEditing(false)} />
      )}
      {data && used && !editing && (
        <>
          {data.prices.length > 0 ? (
            <>
              <PriceTable prices={data.prices} />
              {unpriced.length > 0 && (
                <p className="border-t p-4 text-sm text-muted">
                  Used in the last 30 days without a price: {unpriced.join(', ')}.
                </p>
              )}
            </>
          ) : (
            <NoPrices unpriced={unpriced} />
          )}
          <div className="flex flex-wrap gap-2 border-t p-3">
            <Button icon={<Pencil aria-hidden className="size-3.5" />} onClick={() => setEditing(true)}>
              {data.prices.length > 0 ? 'Edit prices' : 'Enter prices'}
            </Button>
            {data.version > 0 && <Button onClick={() => setRepricing(true)}>Price everything anew</Button>}
          </div>
        </>
      )}
      {repricing && <Reprice onClose={() => setRepricing(false)} />}
    </Card>
  )
}

/** Where prices come from; Tycho knows none, because they change and contracts differ. */
const NoPrices = ({ unpriced }: { unpriced: readonly string[] }) => (
  <div className="flex flex-col gap-1.5 border-t p-4 text-sm text-muted">
    <p>
      No prices yet, so every cost is <em>unpriced</em>. Tycho brings none: they change, and contracts differ.
      Type what your provider’s price list says, or paste it from a spreadsheet.
    </p>
    {unpriced.length > 0 ? (
      <p>The table begins with what was used in the last 30 days: {unpriced.join(', ')}.</p>
    ) : (
      <p>The table begins empty, because no model was used yet.</p>
    )}
  </div>
)

const PriceTable = ({ prices }: { prices: Prices }) => (
  <Table label="Prices">
    <TableHead>
      <HeadCell>Model</HeadCell>
      {RATES.map(({ name, label }) => (
        <HeadCell key={name} className="text-right">
          {label}
        </HeadCell>
      ))}
    </TableHead>
    <TableBody>
      {prices.map((price) => (
        <Row key={price.model}>
          <Cell className="font-medium whitespace-nowrap">{price.model}</Cell>
          {RATES.map(({ name }) => (
            <Cell key={name} className="text-right">
              {price[name]}
            </Cell>
          ))}
        </Row>
      ))}
    </TableBody>
  </Table>
)

function Reprice({ onClose }: { onClose: () => void }) {
  const reprice = useReprice()
  const toast = useToast()
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Price everything anew?"
      confirm="Price anew"
      onConfirm={async () => {
        const { models, version } = await reprice.mutateAsync()
        toast(`${counted(models, 'model has', 'models have')} the prices of version ${version}.`)
      }}
    >
      <p>
        All that was recorded, archived days too, gets the prices as they are now. Costs in reports and
        sessions change.
      </p>
    </ConfirmDialog>
  )
}
