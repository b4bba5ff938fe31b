import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Fields that never reach a log, wherever they stand in what is logged. */
const SECRET_FIELDS = [
  'authorization',
  'password',
  'new_password',
  'current_password',
  'token',
  'secret',
  'client_secret',
  'apiKey',
  'cookie',
]
const PATHS = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])

/** Shapes of our own bearers and of the providers' usual keys, for secrets that arrive inside a text. */
const SECRET_TEXT = /\b(ty(?:s|k|gs|gk)_|sk-|Bearer\s+|hf_)[A-Za-z0-9_\-.]{12,}/g

interface Options {
  level: LogLevel
  /** Readable lines for a terminal; JSON otherwise. */
  readable: boolean
  colour?: boolean
  /** Where lines go; standard error in the product, so that standard output stays for answers. */
  write?: (line: string) => void
}

/** The one logger. Secrets are taken out by field name and by shape before a line is written. */
export function createLogger({ level, readable, colour = false, write }: Options): Logger {
  const target = write ? { write } : readable ? undefined : pino.destination({ fd: 2, sync: true })
  const destination = readable
    ? pretty({
        colorize: colour,
        ignore: 'pid,hostname',
        translateTime: 'SYS:HH:MM:ss',
        sync: true,
        destination: 2,
      })
    : target!
  return pino(
    {
      level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: PATHS, censor: '[redacted]' },
      hooks: { streamWrite: (line) => line.replace(SECRET_TEXT, '$1[redacted]') },
    },
    write ? { write } : destination,
  )
}

/** For tests and tools that want no output. */
export const silentLogger = (): Logger => pino({ level: 'silent' })
