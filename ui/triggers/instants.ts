import { Cron } from 'croner'
import { texts } from '../texts/triggers'

/** The next `count` instants of a schedule after `from`, as the server reads it: five fields, in UTC. @throws what is wrong */
export function nextInstants(expression: string, count: number, from: Date): Date[] {
  if (expression.trim().split(/\s+/).length !== 5) {
    throw new Error(texts.create.cron.fields)
  }
  const instants = read(expression).nextRuns(count, from)
  if (instants.length === 0) throw new Error(texts.create.cron.never)
  return instants
}

function read(expression: string): Cron {
  try {
    return new Cron(expression, { mode: '5-part', utcOffset: 0 })
  } catch (error) {
    throw new Error(`${(error as Error).message.replace(/^CronPattern: /, '').replace(/\.$/, '')}.`)
  }
}
