import { isatty } from 'node:tty'
import { type Logger, type LoggerOptions, pino } from 'pino'
import type { PrettyOptions } from 'pino-pretty'

const STANDARD_OUTPUT = 1
const PRETTY: PrettyOptions = { ignore: 'pid,hostname' }

/** Logger of the program: one JSON object per line, or text on a terminal. */
export function programLogger(logLevel: string): Logger {
  if (!process.stdout.isTTY) return pino(options(logLevel))
  return pino({ ...options(logLevel), transport: { target: 'pino-pretty', options: PRETTY } })
}

/**
 * Logger of another thread. It writes each line at once by itself: the output of a thread otherwise goes through the main
 * thread, which may stand.
 */
export async function threadLogger(logLevel: string): Promise<Logger> {
  if (isatty(STANDARD_OUTPUT)) {
    // Loaded on demand: in the main thread, a thread of pino loads it.
    const { default: pretty } = await import('pino-pretty')
    return pino(options(logLevel), pretty({ ...PRETTY, sync: true }))
  }
  return pino(options(logLevel), pino.destination({ dest: STANDARD_OUTPUT, sync: true }))
}

function options(level: string): LoggerOptions {
  const redact = ['authorization', 'apikey', 'servicekey', 'cookie'].map(name => `req.headers.${name}`)
  return { level, redact }
}
