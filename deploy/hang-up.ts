import { closeSync, openSync } from 'node:fs'
import type { Logger } from 'pino'
import { presentEnvironment } from './environment.ts'
import { readLogLevel, type Settings } from './settings/settings.ts'
import type { RenewedTls } from './tls.ts'

export interface ReloadedParts {
  readonly logger: Logger
  /** Absent: the process serves no HTTPS. */
  readonly tls?: Pick<RenewedTls, 'reload'> | undefined
  /** Receives a level that differs from the present one. */
  readonly onLevel: (level: Settings['logLevel']) => void
}

/**
 * Reads the log level and the certificate again at each SIGHUP, and goes on. Only a process whose terminal was closed stops:
 * nobody would see that it still holds its port and its data folder.
 */
export function reloadOnHangUp(parts: ReloadedParts): void {
  process.on('SIGHUP', () => {
    if (!isTerminalGone()) return void reload(parts)
    // Writing to it would fail, and end the process before it has stopped.
    parts.logger.level = 'silent'
    process.kill(process.pid, 'SIGTERM')
  })
}

/** Reads the log level and the certificate again. Values that cannot be used are reported, and the present ones stay. */
export async function reload({ logger, tls, onLevel }: ReloadedParts): Promise<void> {
  const level = levelOf(logger)
  if (level !== logger.level) {
    logger.level = level
    onLevel(level)
  }
  const certificate = await tls?.reload()
  logger.info({ logLevel: level, certificate }, 'log level and certificate are read again')
}

function levelOf(logger: Logger): Settings['logLevel'] {
  try {
    return readLogLevel(presentEnvironment())
  } catch (error) {
    logger.error({}, `the log level stays: ${(error as Error).message}`)
    return logger.level as Settings['logLevel']
  }
}

/** The controlling terminal of a process cannot be opened after it was closed. */
function isTerminalGone(): boolean {
  if (process.stdout.isTTY !== true) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}
