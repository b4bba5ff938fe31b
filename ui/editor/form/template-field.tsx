import { lazy, Suspense } from 'react'
import type { Mode, Reading } from '../../canvas/references'
import { Skeleton } from '../../kit/placeholders'

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
  <Suspense fallback={<Skeleton className="h-9 w-full" />}>
    <TemplateMirror {...props} />
  </Suspense>
)
