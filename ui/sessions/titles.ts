import { texts } from '../texts/sessions'

interface Described {
  metadata: Record<string, unknown> | null
  preview?: string | null
}

/** What to call a session: the title it was given, else how it began. */
export function titleOf({ metadata, preview }: Described): string {
  const title = metadata?.title
  return (typeof title === 'string' && title.trim()) || preview?.trim() || texts.untitled
}

/** The model or agent it is with, where whoever made it said so. */
export function partnerOf({ metadata }: Described): string | null {
  const name = metadata?.agent ?? metadata?.model
  return typeof name === 'string' && name ? name : null
}
