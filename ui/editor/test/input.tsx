import { useState } from 'react'
import type { AgentDocument } from '../../../src/graph/ir'
import { Field } from '../../kit/field'
import { Textarea } from '../../kit/input'
import { ErrorNotice } from '../../kit/notices'
import { texts as panels } from '../../texts/editor-panels'
import { uploadArtifact } from '../data'

const texts = panels.test.input

/** What a person gave as the input of a test run: text as typed, or a file as it is sent. */
export interface TestInput {
  text: string
  file: { name: string; value: unknown } | null
}

export const NO_INPUT: TestInput = { text: '', file: null }

export type Modality = 'text' | 'json' | 'image' | 'audio' | 'video' | 'file'

export function modalityOf({ nodes }: AgentDocument): Modality | null {
  const input = nodes.find(({ type }) => type === 'input')
  return input ? ((input.config.modality as Modality | undefined) ?? 'text') : null
}

/** The value a run gets, or what is missing. */
export function runInput(
  modality: Modality | null,
  { text, file }: TestInput,
): { value: unknown } | { missing: string } {
  if (modality === null) return { value: null }
  if (modality === 'text') return { value: text }
  if (modality === 'json') {
    try {
      return { value: JSON.parse(text) }
    } catch {
      return { missing: text.trim() === '' ? texts.jsonMissing : texts.notJson }
    }
  }
  return file ? { value: file.value } : { missing: texts.fileMissing }
}

interface InputFieldProps {
  modality: Modality | null
  input: TestInput
  onChange: (input: TestInput) => void
  onRun: () => void
}

const ACCEPTED: Partial<Record<Modality, string>> = { image: 'image/*', audio: 'audio/*', video: 'video/*' }

/** The input by its kind: text and JSON are typed, pictures go inline, other files become artifacts (interface, 12). */
export function InputField({ modality, input, onChange, onRun }: InputFieldProps) {
  const [error, setError] = useState<unknown>(null)
  const [uploading, setUploading] = useState(false)
  if (modality === null) return <p className="text-sm text-muted">{texts.none}</p>
  if (modality === 'text' || modality === 'json') {
    const given = runInput(modality, input)
    return (
      <Field
        label={texts.label}
        hint={modality === 'json' ? texts.jsonHint : undefined}
        error={'missing' in given && input.text !== '' ? given.missing : undefined}
      >
        <Textarea
          rows={4}
          className={modality === 'json' ? 'font-mono text-xs' : undefined}
          value={input.text}
          placeholder={modality === 'json' ? texts.jsonPlaceholder : texts.textPlaceholder}
          onChange={({ target }) => onChange({ ...input, text: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            onRun()
          }}
        />
      </Field>
    )
  }
  async function choose(file: File | undefined) {
    if (!file) return
    setError(null)
    setUploading(true)
    try {
      const value = modality === 'image' ? await dataUri(file) : await uploadArtifact(file)
      onChange({ ...input, file: { name: file.name, value } })
    } catch (problem) {
      setError(problem)
    } finally {
      setUploading(false)
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <Field label={texts.label} hint={uploading ? texts.uploading : (input.file?.name ?? undefined)}>
        <FileInput accept={ACCEPTED[modality]} onFile={(file) => void choose(file)} />
      </Field>
      {error !== null && <ErrorNotice title={texts.refused} error={error} />}
    </div>
  )
}

const FileInput = ({
  accept,
  onFile,
}: {
  accept: string | undefined
  onFile: (file: File | undefined) => void
}) => (
  <input
    type="file"
    aria-label={texts.file}
    accept={accept}
    className="w-full text-sm text-muted file:mr-3 file:h-8 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:text-sm file:text-text"
    onChange={({ target }) => onFile(target.files?.[0])}
  />
)

const dataUri = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(texts.unreadable))
    reader.readAsDataURL(file)
  })
