import kafkajs, { type LogEntry, type logCreator } from 'kafkajs'
import type { Logger } from '../../logger.ts'

/** kafkajs logs many conditions as errors that its callers handle by repetition; these get a lower level. */
export function kafkaLogCreator(logger: Logger): logCreator {
  return () =>
    ({ level, namespace, log: { message, timestamp, logger: _, ...details } }: LogEntry) => {
      const logged = { ...details, namespace }
      if (level === kafkajs.logLevel.WARN || level === kafkajs.logLevel.ERROR)
        logger.debug(logged, `kafka: ${message}`)
    }
}
