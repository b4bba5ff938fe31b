import { ClipboardPaste, Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, IconButton } from '../kit/button'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts as gateway } from '../texts/gateway'
import { type Prices, useSavePrices } from './data'
import { BLANK, type PriceDraft, pastedPrices, RATES, readPrices, withRows, writtenPrices } from './prices'

const texts = gateway.priceForm

interface PriceFormProps {
  prices: Prices
  /** Models that were used and have no row. */
  unpriced: readonly string[]
  onClose: () => void
}

/** The next version of the table, typed or pasted. It begins with what there is and what is missing. */
export function PriceForm({ prices, unpriced, onClose }: PriceFormProps) {
  const save = useSavePrices()
  const toast = useToast()
  const [rows, setRows] = useState<PriceDraft[]>(() => {
    const begun = [...writtenPrices(prices), ...unpriced.map((model) => ({ ...BLANK, model }))]
    return begun.length > 0 ? begun : [BLANK]
  })
  const [pasting, setPasting] = useState(false)
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
        toast(texts.saved)
        onClose()
      },
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Table label={texts.title}>
        <TableHead>
          <HeadCell>{gateway.prices.model}</HeadCell>
          {RATES.map(({ name, label }) => (
            <HeadCell key={name}>{label}</HeadCell>
          ))}
          <HeadCell>
            <span className="sr-only">{texts.remove}</span>
          </HeadCell>
        </TableHead>
        <TableBody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and texts are held above
            <Row key={at}>
              <Cell className="py-1.5 pr-0">
                <Input
                  aria-label={texts.cell(gateway.prices.model, at + 1)}
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
                    aria-label={texts.cell(label, at + 1)}
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
                  label={texts.removeRow(at + 1)}
                  icon={<X aria-hidden className="size-3.5" />}
                  onClick={() => setRows((now) => now.filter((_, index) => index !== at))}
                />
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
      {pasting && (
        <PasteRows
          onRows={(more) => {
            setRows((now) => withRows(now, more))
            setPasting(false)
          }}
        />
      )}
      <div className="flex flex-col gap-3 border-t p-3">
        {problem && <ErrorNotice error={problem} />}
        {save.error && <ErrorNotice error={save.error} title={texts.failed} />}
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() => setRows((now) => [...now, BLANK])}
          >
            {texts.addRow}
          </Button>
          {!pasting && (
            <Button
              icon={<ClipboardPaste aria-hidden className="size-3.5" />}
              onClick={() => setPasting(true)}
            >
              {texts.paste}
            </Button>
          )}
          <Button className="ml-auto" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" variant="primary" pending={save.isPending}>
            {texts.save}
          </Button>
        </div>
      </div>
    </form>
  )
}

function PasteRows({ onRows }: { onRows: (rows: PriceDraft[]) => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  function add() {
    const pasted = pastedPrices(text)
    if ('problem' in pasted) return setProblem(pasted.problem)
    onRows(pasted.rows)
  }
  return (
    <div className="flex flex-col gap-3 border-t p-3">
      <Field label={texts.pasted} error={problem} hint={texts.pastedHint}>
        <Textarea
          rows={5}
          spellCheck={false}
          className="font-mono text-xs"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <Button className="self-start" onClick={add}>
        {texts.addPasted}
      </Button>
    </div>
  )
}
