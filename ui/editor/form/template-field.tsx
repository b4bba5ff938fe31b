import { lazy, Suspense } from 'react'
import type { Mode, Reading } from '../../canvas/references'
import { Textarea } from '../../kit/input'

// CodeMirror comes with the first field that takes `$in`, not with the canvas.
const TemplateMirror = lazy(() => import('../code/template-mirror'))

interface TemplateFieldProps {
  value: string
  onChange: (value: string) => void
  mode: Mode
  reading: Reading
  label: string
  lines?: number
  placeholder?: string
  readOnly?: boolean
}

export const TemplateField = (props: TemplateFieldProps) => (
  <Suspense
    fallback={
      <Textarea
        rows={props.lines ?? 1}
        value={props.value}
        readOnly
        aria-label={props.label}
        className="font-mono text-xs"
      />
    }
  >
    <TemplateMirror {...props} />
  </Suspense>
)
