import type { Logger } from 'pino'
import type { Clock } from '../engine/clock/clock.ts'
import { ConfigurationEnd, type EndNote, type OlderStore } from '../engine/configuration/configuration-end.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import type { MarkKeeper, MarkUnreadableError } from '../engine/configuration/end-mark.ts'
import { type LostConfiguration, lossSentence } from '../engine/configuration/lost-configuration.ts'
import { acceptLossCommand } from '../engine/log/guarded-topic.ts'
import type { Topic } from '../engine/log/log.ts'
import type { ConfigurationReport } from '../engine/replay/verify/verification-report.ts'
import { knownCuts } from '../engine/worker/known-cuts.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'

/** The configuration log ends before its known end. The message states the remedy. */
export class ConfigurationLostError extends Error {
  override readonly name = 'ConfigurationLostError'
}

export interface ConfigurationGuardOptions {
  readonly configuration: ConfigurationLog
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly file: MarkKeeper | undefined
  readonly store: MarkKeeper | undefined
  readonly note?: EndNote
  /** true: other processes write the same log. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Called when a store that was unavailable at first turns out to know more. Default: end the process. */
  readonly onLost?: (error: ConfigurationLostError | MarkUnreadableError) => void
}

/** The end of the configuration, with all places that may know it. */
export function configurationEnd(options: ConfigurationGuardOptions): ConfigurationEnd {
  const { configuration, ingest, checkpoints, clock, logger, onLost = endProcess(logger) } = options
  return new ConfigurationEnd({
    ...options,
    knownCuts: withinMs => {
      const untilMs = clock.monotonicMs() + (withinMs ?? Number.POSITIVE_INFINITY)
      return knownCuts(ingest, checkpoints, () => clock.monotonicMs() >= untilMs)
    },
    onLost: lost => onLost(lossError(lost, configuration)),
    onUnreadable: onLost,
  })
}

/** Reason why a start is refused, and the remedy: restore the missing part, or continue without it. */
export function lossError(lost: LostConfiguration, configuration: ConfigurationLog): ConfigurationLostError {
  return new ConfigurationLostError(
    `${lossSentence(lost, configuration)}. Restore the log from a complete copy, or restore a backup. Without either, ` +
      `stop every process of this installation, run "${acceptLossCommand({ topic: CONFIG_TOPIC, partition: 0, ...lost })}", and repeat the revocations and deletions that may ` +
      'have been lost',
  )
}

/** Warning about parts of a data folder that are probably of different moments. */
export function olderStoreSentence({ fromMs, toMs }: OlderStore): string {
  const [from, to] = [fromMs, toMs].map(ms => new Date(ms).toISOString())
  return (
    `the store does not know of the changes of the configuration from ${from} to ${to}: store/ seems to be an older copy. If log/weir.ingest and ` +
    'log-ends.json were restored with it, every line that was accepted since then is missing, and nothing else can show it: restore one whole ' +
    'backup. If only store/ was restored, the missing lines are stored again'
  )
}

/** Report on the configuration for a verification. */
export function configurationReport(
  lost: LostConfiguration | undefined,
  configuration: ConfigurationLog,
): ConfigurationReport {
  if (lost === undefined) return { missing: null, sentence: '' }
  const { from, to } = lost
  return { missing: { from: Number(from), to: Number(to) }, sentence: lossError(lost, configuration).message }
}

function endProcess(logger: Logger): (error: Error) => void {
  return error => {
    logger.fatal({}, error.message)
    console.error(`weir: ${error.message}`)
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  }
}
