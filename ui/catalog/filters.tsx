import { Search } from 'lucide-react'
import { Input } from '../kit/input'
import { Select } from '../kit/select'
import { Spinner } from '../kit/spinner'
import { MODALITY_OPTIONS } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import type { Wanted } from './data'
import { SIZE_OPTIONS, SORT_OPTIONS } from './labels'

const texts = catalog.filters

type Filter = Omit<Wanted, 'limit'>

interface FiltersProps {
  wanted: Filter
  onChange: (part: Partial<Filter>) => void
  busy: boolean
}

/** Stands for "any" where the select allows no empty value. */
const ANY = '\u0000any'
const anyOr = <T extends string>(value: T | typeof ANY): T | '' => (value === ANY ? '' : value)

export const Filters = ({ wanted, onChange, busy }: FiltersProps) => (
  <search className="flex flex-wrap items-center gap-2">
    <div className="relative min-w-48 flex-1 basis-64 max-sm:basis-full">
      <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint">
        {busy ? <Spinner /> : <Search aria-hidden className="size-4" />}
      </span>
      <Input
        type="search"
        aria-label={texts.search}
        placeholder={texts.placeholder}
        value={wanted.search}
        onChange={(event) => onChange({ search: event.target.value })}
        className="pl-8.5"
      />
    </div>
    <Select
      aria-label={texts.task}
      value={wanted.modality || ANY}
      onChange={(value) => onChange({ modality: anyOr(value) })}
      options={[{ value: ANY, label: texts.anyTask }, ...MODALITY_OPTIONS]}
      className="min-w-0 flex-1 basis-0 sm:max-w-36 sm:basis-28"
    />
    <Select
      aria-label={texts.size}
      value={wanted.size || ANY}
      onChange={(value) => onChange({ size: anyOr(value) })}
      options={[{ value: ANY, label: texts.anySize }, ...SIZE_OPTIONS]}
      className="min-w-0 flex-1 basis-0 sm:max-w-32 sm:basis-24"
    />
    <Select
      aria-label={texts.order}
      value={wanted.sort}
      onChange={(sort) => onChange({ sort })}
      options={SORT_OPTIONS}
      className="min-w-0 flex-1 basis-0 sm:max-w-44 sm:basis-36"
    />
  </search>
)
