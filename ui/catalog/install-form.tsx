import { CircleCheck, Download, Play } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Worded } from '../kit/worded'
import { useMissingEngine, useModels } from '../registries/data'
import { WithCode } from '../registries/hint'
import { byteSize } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import { type CatalogDetail, isActive, useDownloads, useInstall, type Variant } from './data'
import { DownloadProgress } from './download-progress'
import { Fit } from './fit'
import { proposeId } from './propose'
import { keyOf, VariantList } from './variant-list'

const texts = catalog.install

interface InstallFormProps {
  entry: CatalogDetail
  onTry: (id: string) => void
}

/** Which download, under which name. The recommended one is chosen already. */
export function InstallForm({ entry, onTry }: InstallFormProps) {
  const [picked, setPicked] = useState<Variant | null>(null)
  const recommended = entry.variants.find((one) => one.recommended) ?? entry.variants[0]!
  const chosen = entry.variants.find((one) => picked && keyOf(one) === keyOf(picked)) ?? recommended
  const job = useDownloads().data?.find(
    ({ repo, variantId, status }) =>
      repo === entry.ref && variantId === chosen.id && (status === 'done' || isActive({ status })),
  )
  const { data: models = [] } = useModels()
  // A job that is done says nothing about a model that was deleted since.
  const done = job?.status === 'done' && models.some(({ logicalId }) => logicalId === job.logicalId)
  const installedAs = done ? job.logicalId : picked === null && !job ? entry.installedAs : null
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <VariantList variants={entry.variants} chosen={chosen} onChange={setPicked} />
      <Fit variant={chosen} />
      <MissingEngine variant={chosen} />
      {job && isActive(job) ? (
        <DownloadProgress job={job} />
      ) : installedAs ? (
        <Installed id={installedAs} onTry={onTry} />
      ) : (
        <Begin
          key={keyOf(chosen)}
          entry={entry}
          variant={chosen}
          taken={models.map(({ logicalId }) => logicalId)}
        />
      )}
    </div>
  )
}

const Installed = ({ id, onTry }: { id: string; onTry: (id: string) => void }) => (
  <div className="flex flex-wrap items-center gap-3 rounded-lg border bg-good-soft px-3 py-2.5 text-sm">
    <CircleCheck aria-hidden className="size-4 shrink-0 text-good" />
    <p className="min-w-0 flex-1">
      <Worded text={texts.installed} with={{ id: <span className="font-medium">{id}</span> }} />
    </p>
    <Button size="sm" icon={<Play aria-hidden className="size-3" />} onClick={() => onTry(id)}>
      {catalog.tryIt}
    </Button>
  </div>
)

function MissingEngine({ variant }: { variant: Variant }) {
  const missing = useMissingEngine({ binding: variant.engine, modality: variant.modality })
  if (!missing) return null
  return (
    <Notice tone="warn">
      <p className="font-medium">{texts.noEngine}</p>
      <p className="text-xs">
        <WithCode text={missing} />
      </p>
    </Notice>
  )
}

interface BeginProps {
  entry: CatalogDetail
  variant: Variant
  taken: readonly string[]
}

function Begin({ entry, variant, taken }: BeginProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const logicalId = typed ?? proposeId({ ref: entry.ref, label: variant.label }, taken)
  const install = useInstall()
  const { atField, elsewhere } = placed(install.error)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!logicalId.trim()) return
    install.mutate({
      repo: entry.ref,
      engine: variant.engine,
      variantId: variant.id,
      logicalId: logicalId.trim(),
    })
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <Field label={texts.id} hint={texts.idHint} error={logicalId.trim() === '' ? texts.idMissing : atField}>
        <Input
          autoComplete="off"
          spellCheck={false}
          value={logicalId}
          onChange={(event) => {
            setTyped(event.target.value)
            install.reset()
          }}
        />
      </Field>
      {elsewhere && <ErrorNotice title={texts.failed} error={elsewhere} />}
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="self-start max-sm:self-stretch"
        pending={install.isPending}
        icon={<Download aria-hidden className="size-4" />}
      >
        {variant.fit === 'too-large' ? texts.submitTooLarge : texts.submit}
        {variant.sizeBytes !== null && `, ${byteSize(variant.sizeBytes)}`}
      </Button>
    </form>
  )
}

/** A name that is taken is said beside the name. */
function placed(error: Error | null): { atField: string | null; elsewhere: Error | null } {
  if (error instanceof ApiError && error.code === 'logical_id_exists')
    return { atField: error.message, elsewhere: null }
  return { atField: null, elsewhere: error }
}
