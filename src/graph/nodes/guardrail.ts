import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import { configOf } from '../node-types'
import { quote } from '../problem'
import { passesRule } from './rules'
import { messageOf, type Outcome, onPort, type StepContext, soleValue } from './step'
import { generation } from './turn'

type Config = ReturnType<typeof configOf<'guardrail'>>
type ModelCheck = NonNullable<Config['check']['model']>

/** A failing check ends the run: nothing goes past a guardrail that could not look at it. */
export async function guardrail(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const config = configOf('guardrail', step.node)
  const { type, rule, model } = config.check
  const passes =
    type === 'model' ? await passesModel(step, config, model!, value) : checkRule(step, rule!, value)
  if (passes) return onPort(step, 'pass', value)
  const replacement = Object.keys(config.onBlock).length > 0 ? config.onBlock : value
  return onPort(step, 'block', replacement)
}

function checkRule({ node }: StepContext, rule: NonNullable<Config['check']['rule']>, value: unknown) {
  try {
    return passesRule(rule, value)
  } catch (error) {
    throw new AppError('template_error', `Node ${quote(node.id)}: ${messageOf(error)}`, { cause: error })
  }
}

async function passesModel(step: StepContext, config: Config, check: ModelCheck, value: unknown) {
  const binding = step.run.document.models[check.model]!
  const messages = [{ role: 'user', content: `${check.prompt}\n\nInput:\n${asText(value)}` }]
  const { text, attributes } = await generation(step, {
    place: step.place,
    patience: config,
    binding,
    params: binding.params,
    rest: { messages },
    // Its verdict is no part of what the run answers.
    isHeard: false,
    lead: '',
  })
  Object.assign(step.attributes, attributes)
  return text.trim().toLowerCase().startsWith(check.passOn.trim().toLowerCase())
}
