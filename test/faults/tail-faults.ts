import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import type { Fault, Injected } from './fault.ts'
import type { LostRecords } from './lost-records.ts'
import { acceptLoss, printedWithin } from './operator.ts'
import { requestName } from './sent-request.ts'
import type { Site } from './site.ts'

const LEAST_BYTES = 20_000
const MOST_BYTES = 150_000
const READ_BYTES = 8 * 1024 * 1024
/** A start that does not notice the loss within that time does not notice it. */
const NOTICED_WITHIN_MS = 15_000
/** Limit of that time for records that perhaps nobody knows of. */
const PERHAPS_WITHIN_MS = 3_000
const NUMBERS = /log accept-loss --topic ingest --partition \d+ --from (\d+) --to (\d+)/
const NAMES = /c\d+\/\d+(?=\/0[ "])/g

/** After a stop or a kill the newest file of the lines' partition has lost its end. An operator accepts that. */
export function tailFault(dice: Dice): Fault {
  const signal = dice.chance(0.5) ? 'SIGKILL' : 'SIGTERM'
  const waitMs = 50 + dice.below(1_500)
  const bytes = LEAST_BYTES + dice.below(MOST_BYTES - LEAST_BYTES)
  return {
    family: 'tail',
    label: `lost log tail after ${signal}`,
    waitMs,
    async inject(site) {
      await site.weir.end(signal)
      const partition = await LinesPartition.of(site.weir)
      const removed = await partition.cut(bytes)
      // A program that does not notice the loss may never become ready.
      await site.weir.start().catch(() => undefined)
      return accepted(site, removed, `the log ends ${bytes} bytes earlier, before record ${removed.from}`)
    },
  }
}

interface Removed {
  readonly partition: number
  readonly from: bigint
  readonly records: readonly LogRecord[]
  /** Whether the end that is kept beside the log is beyond the lost records: a kill leaves it up to 50 ms behind. */
  readonly isKnown: boolean
}

async function accepted(site: Site, removed: Removed, what: string): Promise<Injected> {
  const { weir, shipper } = site
  const { partition, from, records, isKnown } = removed
  const odd: string[] = []
  const ready = async () => (await fetch(`${weir.credentials.apiUrl}/readyz`)).text()
  const printed = await printedWithin(ready, NUMBERS, isKnown ? NOTICED_WITHIN_MS : PERHAPS_WITHIN_MS)
  if (printed === undefined && isKnown) odd.push(`nobody notices that records from ${from} on are lost`)
  if (printed !== undefined) {
    const refusal = await probe(weir)
    if (!/^503 /.test(refusal) || !NUMBERS.test(refusal)) odd.push(`a line is answered ${refusal}`)
    const [command, first] = printed
    if (BigInt(first as string) !== from)
      odd.push(`${command} is printed, but records from ${from} on are lost`)
    if (!command.includes(`--partition ${partition} `)) odd.push(`${command} names another partition`)
    odd.push(...(await acceptLoss(weir, command.split(' '))))
  }
  // Places of records that nobody knew of are given again.
  const to = printed === undefined ? from : BigInt(printed[2] as string) + 1n
  const lost = lostRecords(records, from, to)
  const newest = shipper.newestAcknowledged.filter(request => !lost.requests.has(requestName(request)))
  return { what, sinceMs: performance.now(), newest, lost, odd }
}

function lostRecords(records: readonly LogRecord[], from: bigint, to: bigint): LostRecords {
  const requests = new Set(records.flatMap(({ value }) => value.toString('latin1').match(NAMES) ?? []))
  const minutesMs = new Set<number>()
  const firstMs = records[0]?.appendTimeMs ?? Date.now()
  for (let timeMs = firstMs - (firstMs % MINUTE_MS); timeMs <= Date.now(); timeMs += MINUTE_MS)
    minutesMs.add(timeMs)
  return { from, to, requests, minutesMs }
}

/** @returns status and text of an answer to a line that must not be taken */
async function probe({ credentials }: RunningWeir): Promise<string> {
  const response = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=probe`, {
    method: 'POST',
    headers: { apikey: credentials.ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: [{ line: 'probe' }] }),
  })
  return `${response.status} ${await response.text()}`
}

/** The partition of the lines in the folder of a program that does not run. */
class LinesPartition {
  readonly #logFolder: string
  readonly #partitions: number
  readonly #partition: number

  private constructor(logFolder: string, partitions: number, account: string) {
    this.#logFolder = logFolder
    this.#partitions = partitions
    this.#partition = partitionOfAccount(account, partitions)
  }

  static async of({ directory, credentials }: RunningWeir): Promise<LinesPartition> {
    const logFolder = join(directory, 'log')
    const partitions = readdirSync(join(logFolder, INGEST_TOPIC)).filter(name => /^\d+$/.test(name)).length
    return new LinesPartition(logFolder, partitions, credentials.accountId)
  }

  /** Cuts the end of the newest file off. @returns what it contained */
  async cut(bytes: number): Promise<Removed> {
    const path = this.#newestFile()
    const first = BigInt(/(\d+)\.segment$/.exec(path)?.[1] ?? 0)
    const { records: before } = await this.#read(first)
    truncateSync(path, Math.max(0, statSync(path).size - bytes))
    const { next: from } = await this.#read(first)
    const records = before.filter(({ offset }) => offset >= from)
    return { partition: this.#partition, from, records, isKnown: this.#knownEnd > from }
  }

  get #knownEnd(): bigint {
    const text = readFileSync(join(this.#logFolder, '..', 'log-ends.json'), 'utf8')
    const ends = JSON.parse(text) as Record<string, { readonly next: readonly number[] }>
    return BigInt(ends[INGEST_TOPIC]?.next[this.#partition] ?? 0)
  }

  #newestFile(): string {
    const folder = join(this.#logFolder, INGEST_TOPIC, String(this.#partition))
    const names = readdirSync(folder).filter(name => name.endsWith('.segment'))
    return join(folder, names.sort().at(-1) as string)
  }

  async #read(from: bigint): Promise<{ readonly records: readonly LogRecord[]; readonly next: bigint }> {
    const ports = { clock: systemClock(), entropy: systemEntropy() }
    const log = await openSegmentLog({
      directory: this.#logFolder,
      ...ports,
      maxBytes: Number.MAX_SAFE_INTEGER,
    })
    try {
      const topic = await log.topic(INGEST_TOPIC, this.#partitions)
      const { next } = await topic.bounds(this.#partition)
      const records: LogRecord[] = []
      for (let offset = from; offset < next; offset = (records.at(-1) as LogRecord).offset + 1n)
        records.push(...(await topic.read(this.#partition, offset, READ_BYTES)))
      return { records: records.map(record => ({ ...record, value: Buffer.from(record.value) })), next }
    } finally {
      await log.close()
    }
  }
}
