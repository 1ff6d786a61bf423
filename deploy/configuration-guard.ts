import type { Logger } from 'pino'
import type { Clock } from '../engine/clock/clock.ts'
import { ConfigurationEnd } from '../engine/configuration/configuration-end.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import type { MarkKeeper } from '../engine/configuration/end-mark.ts'
import { type LostTail, lossSentence } from '../engine/configuration/lost-tail.ts'
import { acceptLossCommand } from '../engine/log/guarded-topic.ts'
import type { Topic } from '../engine/log/log.ts'
import type { ConfigurationReport } from '../engine/replay/verify/verification-report.ts'
import { knownCuts } from '../engine/worker/known-cuts.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'

/** The configuration log ends before what is known of it: the message says what to do. */
export class ConfigurationLostError extends Error {
  override readonly name = 'ConfigurationLostError'
}

export interface ConfigurationGuardOptions {
  readonly configuration: ConfigurationLog
  readonly ingest: Topic
  readonly checkpoints: Topic
  readonly file: MarkKeeper | undefined
  readonly store: MarkKeeper | undefined
  /** Other processes write the same log. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Called when a store that was away at first turns out to know of more; default: the process ends as it is told to. */
  readonly onLost?: (error: ConfigurationLostError) => void
}

/** The end of the configuration, with everything that may know of it. */
export function configurationEnd(options: ConfigurationGuardOptions): ConfigurationEnd {
  const { configuration, ingest, checkpoints, clock, logger, onLost = endProcess(logger) } = options
  return new ConfigurationEnd({
    ...options,
    knownCuts: withinMs => {
      const untilMs = clock.monotonicMs() + (withinMs ?? Number.POSITIVE_INFINITY)
      return knownCuts(ingest, checkpoints, () => clock.monotonicMs() >= untilMs)
    },
    onLost: lost => onLost(lossError(lost, configuration)),
  })
}

/** Why a start is refused, and what to do: put back what is missing, or do without it. */
export function lossError(lost: LostTail, configuration: ConfigurationLog): ConfigurationLostError {
  return new ConfigurationLostError(
    `${lossSentence(lost, configuration)}. Put the log back from where it is whole, or restore a backup. If there is none, ` +
      `stop every process of this installation, run "${acceptLossCommand({ topic: CONFIG_TOPIC, partition: 0, ...lost })}", and revoke and delete anew what may have ` +
      'been revoked and deleted there',
  )
}

/** The same for a verification. */
export function configurationReport(
  lost: LostTail | undefined,
  configuration: ConfigurationLog,
): ConfigurationReport {
  if (lost === undefined) return { missing: null, sentence: '' }
  const { from, to } = lost
  return { missing: { from: Number(from), to: Number(to) }, sentence: lossError(lost, configuration).message }
}

function endProcess(logger: Logger): (error: ConfigurationLostError) => void {
  return error => {
    logger.fatal({}, error.message)
    console.error(`weir: ${error.message}`)
    process.exitCode = 1
    process.kill(process.pid, 'SIGTERM')
  }
}
