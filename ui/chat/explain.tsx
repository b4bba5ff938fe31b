import { Link } from '@tanstack/react-router'

/** What a person can do about a failure of a model, by its code; nothing where the message says it all. */
export function Help({ code }: { code: string | undefined }) {
  const known = code === undefined ? undefined : HELP[code]
  if (!known) return null
  return (
    <>
      {known.text}{' '}
      {known.atModels && (
        <Link to="/registries" className="text-text underline underline-offset-2">
          Open Models
        </Link>
      )}
    </>
  )
}

interface Advice {
  text: string
  /** The Models screen is where to do it. */
  atModels: boolean
}

const here = (text: string): Advice => ({ text, atModels: false })
const atModels = (text: string): Advice => ({ text, atModels: true })

const HELP: Record<string, Advice> = {
  credential_error: atModels('Give the model’s credential a value, then try again.'),
  modality_not_supported: atModels(
    'Does the base URL of the model end in /v1? Is its modality the right one?',
  ),
  model_not_found: atModels('It is not registered any more. Choose another one, or add it again.'),
  engine_unavailable: atModels(
    'Its engine is missing, or did not start. Where it is missing, Local engines says how to get it.',
  ),
  agent_not_found: here('The agent was deleted. Choose another one.'),
  durable_required: here(
    'This agent waits for people, or runs other agents, and that takes durable mode: start Tycho with SERVICE_DURABLE=true.',
  ),
  no_capacity: atModels('All places for local models are busy. Wait for one to finish, or free one.'),
  inference_unreachable: here(
    'Is Tycho running in full? The dot beside your account shows which part is down.',
  ),
  unreachable: here('The connection to Tycho was lost.'),
  upstream_error: atModels(
    'These are the provider’s own words. If they are about a key or an address, change it there.',
  ),
  payload_too_large: here('Send a smaller picture, or less text.'),
}
