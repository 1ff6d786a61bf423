import kafkajs, { type LogEntry, type logCreator } from 'kafkajs'
import type { Logger } from '../../logger.ts'

/** kafkajs calls many things errors that its callers repeat: they are told at a level that wakes nobody. */
export function kafkaLogCreator(logger: Logger): logCreator {
  return () =>
    ({ level, namespace, log: { message, timestamp, logger: _, ...details } }: LogEntry) => {
      const told = { ...details, namespace }
      if (level === kafkajs.logLevel.WARN || level === kafkajs.logLevel.ERROR)
        logger.debug(told, `kafka: ${message}`)
    }
}
