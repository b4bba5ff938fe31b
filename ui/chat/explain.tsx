import { Link } from '@tanstack/react-router'
import { texts } from '../texts/chat'

/** What a person can do about a failure of a model, by its code; nothing where the message says it all. */
export function Help({ code }: { code: string | undefined }) {
  if (code === undefined) return null
  const advice = ADVICE[code]
  if (!advice) return null
  return (
    <>
      {advice}{' '}
      {AT_MODELS.has(code) && (
        <Link to="/registries" className="text-text underline underline-offset-2">
          {texts.openModels}
        </Link>
      )}
    </>
  )
}

const ADVICE: Record<string, string> = texts.advice

/** The Models screen is where to do it. */
const AT_MODELS: ReadonlySet<string> = new Set<keyof typeof texts.advice>([
  'credential_error',
  'modality_not_supported',
  'model_not_found',
  'engine_unavailable',
  'no_capacity',
  'upstream_error',
])
