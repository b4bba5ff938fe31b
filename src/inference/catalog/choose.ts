import { AppError } from '#kernel/errors'
import type { Found } from './found'
import { checkChoice } from './header'
import { type Plan, planOf } from './plan'
import type { Install } from './schema'
import type { Source } from './source'
import { type Choice, choicesOf } from './variants'

const MAX_NAMED = 20

/**
 * What is to be downloaded for an installation, once the source was asked and the weights' header was read.
 * @throws {AppError} `invalid_install`, `incomplete_weights`, `repository_not_found`, `repository_gated`, `catalog_error`
 */
export async function planFor(
  source: Source,
  what: Omit<Install, 'logicalId'>,
  signal: AbortSignal,
): Promise<Plan> {
  const found = await source.look(what.repo, signal)
  const choice = chosen(found, what)
  await checkChoice(source, found, choice, signal)
  return planOf(found, choice)
}

/** @throws {AppError} `invalid_install`, naming what there is */
function chosen(found: Found, { repo, engine, variantId }: Omit<Install, 'logicalId'>): Choice {
  const choices = choicesOf(found).filter((choice) => choice.engine === engine)
  const choice = choices.find(({ id }) => id === variantId)
  if (choice) return choice
  const ids = choices.map(({ id }) => (id === '' ? 'the empty one' : id)).slice(0, MAX_NAMED)
  throw new AppError(
    'invalid_install',
    ids.length === 0
      ? `variantId: ${repo} holds nothing that ${engine} can serve.`
      : `variantId: ${repo} has none of this id for ${engine}. There is: ${ids.join(', ')}.`,
  )
}
