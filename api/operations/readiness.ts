import type { Clock } from '../../engine/clock/clock.ts'
import {
  type GuardedTopic,
  isFilledPlace,
  lostTailPlace,
  lostTailSentence,
} from '../../engine/log/guarded-topic.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import type { Store } from '../../engine/store/store.ts'
import { damageSentence } from '../../engine/store/store-damage.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { EngineStatus } from '../../engine/worker/engine.ts'

/** State that `/readyz` reports. */
export interface ServiceStatus {
  /** A sentence for each reason why this process cannot do its work now; empty when it is ready. */
  notReady(): Promise<readonly string[]>
}

export interface ReadinessPorts {
  readonly log: Log
  readonly clock: Clock
  /** The store; absent in a role without it, like the next member. */
  readonly store?: Store | undefined
  /** Why the newest configuration is not yet stored at every required place; absent if it is not stored at all. */
  readonly configurationEnd?: { readonly trouble: string | undefined } | undefined
  readonly engine?:
    | {
        readonly work: { readonly status: EngineStatus; readonly assigned: ReadonlySet<number> | undefined }
        readonly ingest: Topic
      }
    | undefined
  /** Topics whose partitions may lack their end. */
  readonly guarded?: readonly GuardedTopic[] | undefined
}

const STORE_PATIENCE_MS = 2_000
/** A record that waits longer than this for the engine makes the process not ready. */
const MAX_BEHIND_MS = MINUTE_MS

/** Examines the log, the store and the engine of this process. */
export function readiness(ports: ReadinessPorts): ServiceStatus {
  return {
    notReady: async () => {
      const found = await Promise.all([storeTrouble(ports), engineTroubles(ports)])
      const behind = ports.configurationEnd?.trouble
      const lost = (ports.guarded ?? []).flatMap(({ losses }) => losses)
      // The worker of such a partition reports the same, with the numbers that it knew.
      const others = found
        .flat()
        .filter(sentence => !lost.some(tail => sentence.includes(lostTailPlace(tail))))
      const renewed = (ports.guarded ?? []).flatMap(topic => topic.renewed ?? [])
      const ofLog = [...logTroubles(ports.log), ...lost.map(lostTailSentence), ...renewed]
      return [...ofLog, ...others, ...(behind === undefined ? [] : [behind])]
    },
  }
}

function logTroubles(log: Log): string[] {
  const { usedBytes, limitBytes, reservedBytes, takesIngest, takesControl } = log.space()
  const share = `${usedBytes} of ${limitBytes} bytes are used`
  const kept = `${reservedBytes} are kept for checkpoints and other records that empty it`
  if (!takesControl) return [`The log is full, its reserve too: ${share}, and nothing can be written.`]
  if (!takesIngest)
    return [
      `The log is full: ${share}, ${kept}. Ingestion answers 503 until there is room; WEIR_LOG_MAX_BYTES gives it more.`,
    ]
  return []
}

async function storeTrouble({ store, clock }: ReadinessPorts): Promise<string[]> {
  if (store === undefined) return []
  const patience = new AbortController()
  const late = clock.sleep(STORE_PATIENCE_MS, patience.signal).then(() => {
    if (patience.signal.aborted) return []
    return [`The store has not answered for ${STORE_PATIENCE_MS / 1000} s.`]
  })
  const answer = store.findDamage(patience.signal).then(
    damaged => damaged.map(damageSentence),
    error => [`The store does not answer: ${(error as Error).message}`],
  )
  const trouble = await Promise.race([answer, late])
  patience.abort()
  return trouble
}

async function engineTroubles({ engine, clock, guarded }: ReadinessPorts): Promise<string[]> {
  if (engine === undefined) return []
  const { workers, troubles: reportedTroubles } = engine.work.status
  const troubles = await presentTroubles(reportedTroubles, guarded ?? [])
  const found = [...troubles].map(
    ([partition, sentence]) => `Partition ${partition} does not move: ${sentence}`,
  )
  const { assigned } = engine.work
  if (assigned === undefined) found.push('The engine has not been given its partitions yet.')
  for (const partition of assigned ?? []) {
    if (troubles.has(partition)) continue
    const worker = workers.find(each => each.partition === partition)
    if (worker === undefined) {
      found.push(`Partition ${partition} has no worker yet.`)
      continue
    }
    const { next } = await engine.ingest.bounds(partition)
    const behindMs = clock.wallMs() - worker.timeMs
    if (worker.nextOffset < next && behindMs > MAX_BEHIND_MS) {
      const records = next - worker.nextOffset
      found.push(`Partition ${partition} is ${Math.round(behindMs / 1000)} s and ${records} records behind.`)
    }
  }
  return found
}

/** A worker that has stopped at a lost tail continues to report it for a moment after the loss was accepted. */
async function presentTroubles(
  reported: ReadonlyMap<number, string>,
  guarded: readonly GuardedTopic[],
): Promise<ReadonlyMap<number, string>> {
  const present = new Map(reported)
  for (const [partition, sentence] of reported)
    for (const topic of guarded) if (await isFilledPlace(sentence, topic)) present.delete(partition)
  return present
}
