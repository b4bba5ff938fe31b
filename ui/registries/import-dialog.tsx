import { FileJson, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import type { ImportedBundle, ImportReport } from '../../src/inference/bundles/schema'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { ErrorNotice, Notice } from '../kit/notices'
import { texts as common } from '../texts/common'
import { texts as registries } from '../texts/registries'
import { useCredentials, useImport } from './data'

const texts = registries.importing

/** Reads a registry that was exported elsewhere: first what is in it, then what became of it. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [bundle, setBundle] = useState<ImportedBundle | null>(null)
  const [mistake, setMistake] = useState<string | null>(null)
  const picker = useRef<HTMLInputElement>(null)
  const take = useImport()
  const report = take.data

  async function read(file: File | undefined) {
    if (!file) return
    take.reset()
    const { bundle: found, mistake: wrong } = parseBundle(await file.text(), file.name)
    setBundle(found)
    setMistake(wrong)
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.title}
      description={texts.description}
      footer={
        report ? (
          <Button variant="primary" onClick={onClose}>
            {texts.done}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button
              variant="primary"
              disabled={!bundle}
              pending={take.isPending}
              onClick={() => bundle && take.mutate(bundle)}
            >
              {texts.confirm}
            </Button>
          </>
        )
      }
    >
      <input
        ref={picker}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={texts.file}
        onChange={(event) => {
          void read(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      <div className="flex flex-col gap-4 text-sm">
        {report ? (
          <Report report={report} />
        ) : (
          <>
            <Button
              className="self-start"
              icon={<FileJson aria-hidden className="size-4" />}
              onClick={() => picker.current?.click()}
            >
              {bundle ? texts.chooseAnother : texts.choose}
            </Button>
            {bundle && <Preview bundle={bundle} />}
          </>
        )}
        {mistake && <ErrorNotice error={mistake} />}
        {take.error && <ErrorNotice title={texts.failed} error={take.error} />}
      </div>
    </Dialog>
  )
}

function parseBundle(text: string, name: string): { bundle: ImportedBundle | null; mistake: string | null } {
  const refused = (mistake: string) => ({ bundle: null, mistake })
  try {
    const value = JSON.parse(text) as ImportedBundle
    if (!Array.isArray(value?.models)) return refused(texts.noModels(name))
    return { bundle: value, mistake: null }
  } catch {
    // Said to the person.
    return refused(texts.noJson(name))
  }
}

const Preview = ({ bundle: { models, credentialNames = [] } }: { bundle: ImportedBundle }) => (
  <>
    <Names title={texts.models(models.length)} names={models.map(({ logicalId }) => String(logicalId))} />
    {credentialNames.length > 0 && <p className="text-muted">{texts.keys(credentialNames.length)}</p>}
  </>
)

/** Every warning is shown: what is not said here will be missed when a model does not answer. */
function Report({ report }: { report: ImportReport }) {
  const { registered, skipped, downloads, warnings, credentialNames } = report
  const { data: known = [] } = useCredentials()
  const missing = credentialNames.filter((name) => !known.some((one) => one.name === name))
  const nothing = [registered, skipped, downloads, warnings].every(({ length }) => length === 0)
  return (
    <>
      {nothing && <p className="text-muted">{texts.report.empty}</p>}
      <Names title={texts.report.registered} names={registered} />
      <Names
        title={texts.report.downloads}
        names={downloads.map(({ logicalId, repo }) => `${logicalId} (${repo})`)}
      />
      <Names title={texts.report.skipped} names={skipped} />
      {warnings.map(({ logicalId, code, message }) => (
        <Notice key={`${logicalId} ${code} ${message}`} tone="warn">
          <p className="font-medium">{logicalId}</p>
          <p>{message}</p>
          <code className="text-xs text-muted">{code}</code>
        </Notice>
      ))}
      {missing.length > 0 && (
        <Names
          title={texts.report.missingKeys}
          icon={<TriangleAlert aria-hidden className="size-3.5 text-warn" />}
          names={missing}
        />
      )}
    </>
  )
}

const Names = ({ title, names, icon }: { title: string; names: readonly string[]; icon?: ReactNode }) =>
  names.length === 0 ? null : (
    <section>
      <h3 className="flex items-center gap-1.5 font-medium">
        {icon}
        {title}
      </h3>
      <ul className="mt-1 flex max-h-40 flex-col gap-0.5 overflow-y-auto">
        {names.map((name) => (
          <li key={name} className="truncate font-mono text-xs text-muted">
            {name}
          </li>
        ))}
      </ul>
    </section>
  )
