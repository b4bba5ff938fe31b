import { outOfBounds } from '#graph/bounds'
import { AppError } from '#kernel/errors'
import { readCron } from './cron'
import type { Trigger } from './schema'

const MAX_SECRET_CHARACTERS = 1_024
/** Of a schedule's input, as JSON: it is stored with the trigger and shown in every list. */
const MAX_INPUT_CHARACTERS = 256 * 1024

const KEYS: Record<Trigger['kind'], readonly string[]> = { schedule: ['cron', 'input'], webhook: ['secret'] }

export interface CheckedConfig {
  /** What may be shown. */
  config: { cron?: string; input?: unknown }
  secret: string | null
}

/** @throws {AppError} `invalid_trigger` */
export function checkConfig(kind: Trigger['kind'], config: Record<string, unknown>): CheckedConfig {
  const foreign = Object.keys(config).find((key) => !KEYS[kind].includes(key))
  if (foreign !== undefined) {
    throw invalid(
      `config.${foreign.slice(0, 50)} means nothing for a ${kind}: it has ${KEYS[kind].join(', ')}.`,
    )
  }
  return kind === 'schedule'
    ? { config: checkSchedule(config), secret: null }
    : { config: {}, secret: checkSecret(config.secret) }
}

function checkSchedule({ cron, ...rest }: Record<string, unknown>) {
  if (typeof cron !== 'string') throw invalid('A schedule needs config.cron: five fields, in UTC.')
  if (firstInstant(cron) === null) throw invalid('config.cron names a date that never comes.')
  const refused = outOfBounds(rest.input ?? null)
  if (refused) throw invalid(`config.input: ${refused.message} ${refused.hint}`)
  if (JSON.stringify(rest).length > MAX_INPUT_CHARACTERS) {
    throw invalid(`config.input is larger than ${MAX_INPUT_CHARACTERS / 1024} Ki characters of JSON.`)
  }
  return { cron, ...rest }
}

function firstInstant(cron: string): number | null {
  try {
    return readCron(cron).firstAfter(Date.UTC(2000))
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '')
    throw invalid(`config.cron is no cron expression of five fields (minute hour day month weekday): ${why}`)
  }
}

function checkSecret(secret: unknown): string {
  if (typeof secret !== 'string' || secret.trim() === '') {
    throw invalid('A webhook needs config.secret: the text that its deliveries are signed with.')
  }
  if (secret.length > MAX_SECRET_CHARACTERS) {
    throw invalid(`config.secret is longer than ${MAX_SECRET_CHARACTERS} characters.`)
  }
  return secret
}

export const invalid = (message: string) => new AppError('invalid_trigger', message)
