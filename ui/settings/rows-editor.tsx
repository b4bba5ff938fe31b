import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../kit/button'
import { Input } from '../kit/input'

type Row = Record<string, string>

interface RowsEditorProps {
  label: string
  /** What is said of a row, by what it is. */
  words: {
    cell: (column: string, row: number) => string
    remove: (row: number) => string
    add: string
  }
  rows: readonly Row[]
  columns: readonly { name: string; label: string; secret?: boolean }[]
  disabled?: boolean
  onChange: (rows: Row[]) => void
}

/** A small table of texts that rows can be added to and taken from. */
export function RowsEditor({ label, words, rows, columns, disabled, onChange }: RowsEditorProps) {
  const set = (at: number, name: string, value: string) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, [name]: value } : row)))
  const blank = Object.fromEntries(columns.map(({ name }) => [name, '']))
  return (
    <fieldset aria-label={label} className="flex min-w-0 flex-col gap-2" disabled={disabled}>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and texts are held above
        <div key={at} className="flex gap-1.5 rounded-lg border bg-canvas p-2">
          <div className="flex min-w-0 flex-1 flex-col gap-1.5">
            {columns.map(({ name, label: title, secret }) => (
              <Input
                key={name}
                id={undefined}
                aria-label={words.cell(title, at + 1)}
                placeholder={title}
                type={secret ? 'password' : 'text'}
                autoComplete="off"
                spellCheck={false}
                value={row[name]}
                onChange={(event) => set(at, name, event.target.value)}
              />
            ))}
          </div>
          <IconButton
            size="sm"
            label={words.remove(at + 1)}
            icon={<X aria-hidden className="size-3.5" />}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        size="sm"
        className="self-start"
        icon={<Plus aria-hidden className="size-3.5" />}
        onClick={() => onChange([...rows, blank])}
      >
        {words.add}
      </Button>
    </fieldset>
  )
}
