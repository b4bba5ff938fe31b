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
import { Worded } from '../kit/worded'
import { texts as gateway } from '../texts/gateway'
import { type Prices, usePrices, useReprice, useUnpricedModels } from './data'
import { PriceForm } from './price-form'
import { RATES, withoutPrice } from './prices'

const texts = gateway.prices

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
      title={texts.title}
      description={texts.description}
      actions={data && data.version > 0 && <Badge>{texts.version(data.version)}</Badge>}
    >
      {(!data || !used) && !error && <SkeletonRows rows={3} label={texts.loading} />}
      {error && !data && (
        <ErrorNotice error={error} title={texts.failed} onRetry={() => void refetch()} className="m-4" />
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
                <p className="border-t p-4 text-sm text-muted">{texts.missing(unpriced.join(', '))}</p>
              )}
            </>
          ) : (
            <NoPrices unpriced={unpriced} />
          )}
          <div className="flex flex-wrap gap-2 border-t p-3">
            <Button icon={<Pencil aria-hidden className="size-3.5" />} onClick={() => setEditing(true)}>
              {data.prices.length > 0 ? texts.edit : texts.enter}
            </Button>
            {data.version > 0 && <Button onClick={() => setRepricing(true)}>{texts.reprice.action}</Button>}
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
      <Worded text={texts.empty} with={{ unpriced: <em>{texts.unpriced}</em> }} />
    </p>
    <p>{unpriced.length > 0 ? texts.beginsWith(unpriced.join(', ')) : texts.beginsEmpty}</p>
  </div>
)

const PriceTable = ({ prices }: { prices: Prices }) => (
  <Table label={texts.title}>
    <TableHead>
      <HeadCell>{texts.model}</HeadCell>
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
      title={texts.reprice.title}
      confirm={texts.reprice.confirm}
      onConfirm={async () => {
        const { models, version } = await reprice.mutateAsync()
        toast(texts.reprice.done(models, version))
      }}
    >
      <p>{texts.reprice.effect}</p>
    </ConfirmDialog>
  )
}
