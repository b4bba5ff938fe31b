import { Pencil, Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../kit/badge'
import { Button, IconButton } from '../kit/button'
import { Card } from '../kit/card'
import { ConfirmDialog } from '../kit/dialog'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useToast } from '../kit/toasts'
import { type Prices, usePrices, useReprice, useSavePrices } from './data'
import { counted } from './format'
import { BLANK, type PriceDraft, RATES, readPrices, writtenPrices } from './prices'

/** What models cost: a table that is followed by its next version, never changed. */
export function PricesCard() {
  const { data, error, refetch } = usePrices()
  const [editing, setEditing] = useState(false)
  const [repricing, setRepricing] = useState(false)
  return (
    <Card
      flush
      title="Prices"
      description="Dollars for a million tokens. The most exact row counts: a model’s id, or its start and a star. Without a row a model is unpriced."
      actions={data && data.version > 0 && <Badge>version {data.version}</Badge>}
    >
      {!data && !error && <SkeletonRows rows={3} label="Loading the prices" />}
      {error && !data && (
        <ErrorNotice
          error={error}
          title="The prices could not be loaded"
          onRetry={() => void refetch()}
          className="m-4"
        />
      )}
      {data && editing && <PriceForm prices={data.prices} onClose={() => setEditing(false)} />}
      {data && !editing && (
        <>
          {data.prices.length > 0 ? (
            <PriceTable prices={data.prices} />
          ) : (
            <p className="border-t p-4 text-sm text-muted">
              No prices yet, so every cost is unpriced. Enter what your provider’s price list says.
            </p>
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

function PriceForm({ prices, onClose }: { prices: Prices; onClose: () => void }) {
  const save = useSavePrices()
  const toast = useToast()
  const [rows, setRows] = useState<PriceDraft[]>(() => (prices.length > 0 ? writtenPrices(prices) : [BLANK]))
  const [problem, setProblem] = useState<string | null>(null)
  const set = (at: number, name: keyof PriceDraft, value: string) =>
    setRows((now) => now.map((row, index) => (index === at ? { ...row, [name]: value } : row)))

  function submit(event: FormEvent) {
    event.preventDefault()
    const read = readPrices(rows)
    setProblem('problem' in read ? read.problem : null)
    if ('problem' in read) return
    save.mutate(read.prices, {
      onSuccess: () => {
        toast('The prices count from now on.')
        onClose()
      },
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Table label="Prices to edit">
        <TableHead>
          <HeadCell>Model</HeadCell>
          {RATES.map(({ name, label }) => (
            <HeadCell key={name}>{label}</HeadCell>
          ))}
          <HeadCell>
            <span className="sr-only">Remove</span>
          </HeadCell>
        </TableHead>
        <TableBody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and texts are held above
            <Row key={at}>
              <Cell className="py-1.5 pr-0">
                <Input
                  aria-label={`Model of row ${at + 1}`}
                  spellCheck={false}
                  autoComplete="off"
                  className="min-w-44"
                  value={row.model}
                  onChange={(event) => set(at, 'model', event.target.value)}
                />
              </Cell>
              {RATES.map(({ name, label }) => (
                <Cell key={name} className="py-1.5 pr-0">
                  <Input
                    aria-label={`${label} of row ${at + 1}`}
                    inputMode="decimal"
                    autoComplete="off"
                    className="min-w-18"
                    value={row[name]}
                    onChange={(event) => set(at, name, event.target.value)}
                  />
                </Cell>
              ))}
              <Cell className="py-1.5">
                <IconButton
                  size="sm"
                  label={`Remove row ${at + 1}`}
                  icon={<X aria-hidden className="size-3.5" />}
                  onClick={() => setRows((now) => now.filter((_, index) => index !== at))}
                />
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      <div className="flex flex-col gap-3 border-t p-3">
        {problem && <ErrorNotice error={problem} />}
        {save.error && <ErrorNotice error={save.error} title="The prices were not saved" />}
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() => setRows((now) => [...now, BLANK])}
          >
            Add row
          </Button>
          <Button className="ml-auto" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" pending={save.isPending}>
            Save prices
          </Button>
        </div>
      </div>
    </form>
  )
}

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
