import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Fields that never reach a log, at whatever depth they stand in what is logged. */
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
/** The text or number of such a field, in a line of JSON. */
const SECRET_VALUE = new RegExp(`"(${SECRET_FIELDS.join('|')})":("(?:[^"\\\\]|\\\\.)*"|[\\d.]+)`, 'gi')

/** Shapes of our own bearers and of the providers' usual keys, for secrets that arrive inside a text. */
const SECRET_TEXT = /\b(ty(?:s|k|gs|gk)_|sk-|Bearer\s+|hf_)[A-Za-z0-9_\-.]{12,}/g

// On the finished line: it costs a microsecond, where pino's own redaction by path costs eighty.
const withoutSecrets = (line: string): string =>
  line.replace(SECRET_VALUE, '"$1":"[redacted]"').replace(SECRET_TEXT, '$1[redacted]')

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
  return pino(
    {
      level,
      base: undefined,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: withoutSecrets },
    },
    write ? { write } : readable ? terminal(colour) : pino.destination({ fd: 2, sync: true }),
  )
}

const terminal = (colour: boolean) =>
  pretty({
    colorize: colour,
    ignore: 'pid,hostname',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    sync: true,
    destination: 2,
  })

/** For tests and tools that want no output. */
export const silentLogger = (): Logger => pino({ level: 'silent' })
