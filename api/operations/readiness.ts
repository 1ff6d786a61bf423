import type { Clock } from '../../engine/clock/clock.ts'
import {
  type GuardedTopic,
  lostTailPlace,
  lostTailSentence,
  presentTroubles,
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
  /**
   * A sentence for each reason why this process refuses every line now; empty while it accepts lines. Store and engine do
   * not count, because lines wait for them on the log. Nor does a lost end of some partitions: if a balancer left
   * the process out, the lines of the others would be refused, too.
   */
  notTaking(): Promise<readonly string[]>
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
  /** Topic of lines; absent in a role that accepts none. */
  readonly lines?: GuardedTopic | undefined
  /** Topics whose partitions may lack their end. */
  readonly guarded?: readonly GuardedTopic[] | undefined
}

const PATIENCE_MS = 2_000
/** A record that waits longer than this for the engine makes the process not ready. */
const MAX_BEHIND_MS = MINUTE_MS

/** Examines the log, the store and the engine of this process. */
export function readiness(ports: ReadinessPorts): ServiceStatus {
  return {
    notReady: async () => {
      const found = await Promise.all([storeTrouble(ports), engineTroubles(ports)])
      const behind = ports.configurationEnd?.trouble
      const lost = (await Promise.all((ports.guarded ?? []).map(topic => topic.presentLosses()))).flat()
      // The worker of such a partition reports the same, with the numbers that it knew.
      const others = found
        .flat()
        .filter(sentence => !lost.some(tail => sentence.includes(lostTailPlace(tail))))
      const renewed = (ports.guarded ?? []).flatMap(topic => topic.renewed ?? [])
      const ofLog = [...logTroubles(ports.log), ...lost.map(lostTailSentence), ...renewed]
      return [...ofLog, ...others, ...(behind === undefined ? [] : [behind])]
    },
    notTaking: async () => [...logTroubles(ports.log), ...(await linesTroubles(ports))],
  }
}

async function linesTroubles({ lines, clock }: ReadinessPorts): Promise<string[]> {
  if (lines === undefined) return ['This process does not accept lines.']
  if (lines.renewed !== undefined) return [lines.renewed]
  return inTime(clock, 'The log', async () => {
    const isLost = () => lines.losses.length === lines.partitions
    if (isLost()) await lines.presentLosses()
    if (isLost()) return lines.losses.map(lostTailSentence)
    await lines.inner.presentId?.()
    return []
  })
}

function logTroubles(log: Log): string[] {
  const { usedBytes, limitBytes, reservedBytes, takesIngest, takesControl } = log.space()
  const share = `${usedBytes} of ${limitBytes} bytes are used`
  const forLines = `Lines may use ${limitBytes - reservedBytes}, because ${reservedBytes} are kept for checkpoints and other records that empty it`
  if (!takesControl) return [`The log is full, its reserve too: ${share}, and nothing can be written.`]
  if (!takesIngest)
    return [
      `The log is full: ${share}. ${forLines}. Ingestion answers 503 until there is room; WEIR_LOG_MAX_BYTES gives it more.`,
    ]
  return []
}

async function storeTrouble({ store, clock }: ReadinessPorts): Promise<string[]> {
  if (store === undefined) return []
  return inTime(clock, 'The store', async patience => (await store.findDamage(patience)).map(damageSentence))
}

/** Waits for an answer about troubles. An error, or the lack of an answer, is a trouble itself. */
async function inTime(
  clock: Clock,
  what: string,
  ask: (patience: AbortSignal) => Promise<string[]>,
): Promise<string[]> {
  const patience = new AbortController()
  const late = clock.sleep(PATIENCE_MS, patience.signal).then(() => {
    if (patience.signal.aborted) return []
    return [`${what} has not answered for ${PATIENCE_MS / 1000} s.`]
  })
  const answer = ask(patience.signal).catch(error => [`${what} does not answer: ${(error as Error).message}`])
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
