import { type FormEvent, useState } from 'react'
import { type ModelView, useSaveModel } from './data'
import { refusedField } from './refusal'
import { type Checked, suggestId } from './registration'

interface Options<F> {
  initial: F
  /** The id of the model that is changed; a new one may take any that is free. */
  fixed: boolean
  check: (form: F) => Checked<Partial<Record<keyof F, string>>>
  onSaved: (model: ModelView) => void
  onPending: (pending: boolean) => void
}

/** A form of a registration: what is typed, what is wrong with it (ours and the server's words), and saving it. */
export function useRegistrationForm<F extends { model: string; logicalId: string }>({
  initial,
  fixed,
  check,
  onSaved,
  onPending,
}: Options<F>) {
  const [form, setForm] = useState(initial)
  const [problems, setProblems] = useState<Partial<Record<keyof F, string>>>({})
  const save = useSaveModel()

  /** A name follows the model's until somebody writes one. */
  function change(part: Partial<F>) {
    setForm((known) => {
      const next = { ...known, ...part }
      const follows = !fixed && part.model !== undefined && known.logicalId === suggestId(known.model)
      return follows ? { ...next, logicalId: suggestId(next.model) } : next
    })
    setProblems((known) => {
      const rest = Object.entries(known).filter(([field]) => !(field in part))
      return Object.fromEntries(rest) as typeof known
    })
    save.reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const element = event.currentTarget as HTMLFormElement
    const { problems: found, saving } = check(form)
    setProblems(found)
    if (!saving) return focusFirstProblem(element)
    onPending(true)
    save.mutate(saving, {
      onSettled: () => onPending(false),
      onSuccess: onSaved,
      onError: (error) => {
        const refused = refusedField(error)
        if (!refused || !(refused.field in form)) return
        setProblems({ [refused.field]: refused.message } as typeof problems)
        focusFirstProblem(element)
      },
    })
  }

  const isPlaced = (error: unknown) => {
    const refused = refusedField(error)
    return refused !== null && refused.field in form
  }
  return {
    form,
    problems,
    change,
    submit,
    /** A failure that is about no field of the form. */
    error: save.error && !isPlaced(save.error) ? save.error : null,
  }
}

/** Once the messages are drawn. */
const focusFirstProblem = (form: HTMLFormElement) =>
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
