import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { cutsOf } from '../../engine/worker/cuts-on-the-log.ts'
import { parseLineId } from '../../schemas/log/position.ts'
import { countedLines, type ExportedLine, eventually, exportedLines } from './exported-lines.ts'
import { addedHistogram, type Histogram, histogramOf } from './metrics-histogram.ts'
import type { RoleCluster } from './role-cluster.ts'
import type { RunningRole } from './running-role.ts'
import type { RunningWeir } from './running-weir.ts'

const LINES_PER_REQUEST = 50
const READ_BYTES = 8 * 1024 * 1024
const STORED_WITHIN_MS = 120_000

export interface PublishingRun {
  readonly acknowledged: number
  readonly stored: number
  /** Sentences about lines that are lost, doubled, or carry another revision than their place in the log says. */
  readonly findings: readonly string[]
  /** Cuts of the pipeline on the log, of all partitions. */
  readonly cuts: number
  /** Duration of each call, from the request to the answer. */
  readonly publishMs: readonly number[]
  /** Pauses of partitions as reported by all engines, by step. */
  readonly pauses: { readonly append: Histogram; readonly apply: Histogram }
}

/**
 * Publishes a pipeline repeatedly while lines of its account flow over all partitions. Every revision puts its number on
 * the lines that it handles, so the stored lines can be compared with the cuts on the log.
 *
 * @param ingest takes the lines
 */
export async function publishUnderLoad(
  cluster: RoleCluster,
  ingest: RunningRole,
  publishes: number,
): Promise<PublishingRun> {
  const [account] = cluster.accounts as readonly [RunningWeir, ...RunningWeir[]]
  const pipeline = await StampingPipeline.create(account)
  await pipeline.publish(1)
  await cluster.spread(account)
  const before = await pausesOf(cluster)

  const stop = new AbortController()
  const { partitions } = cluster.base.ingest
  const senders = Array.from({ length: partitions }, (_, partition) =>
    sendUntil(stop.signal, ingest.url, account, partition, partitions),
  )
  const publishMs: number[] = []
  const publishAll = async () => {
    for (let number = 2; number <= publishes + 1; number++) publishMs.push(await pipeline.publish(number))
  }
  await publishAll().finally(() => stop.abort())
  const sent = new Set((await Promise.all(senders)).flat())
  await eventually(
    () => countedLines(account),
    lines => lines >= sent.size,
    STORED_WITHIN_MS,
  )
  const lines = await exportedLines(account)
  const cuts = await cutsOnTheLog(cluster, pipeline.id)
  return {
    acknowledged: sent.size,
    stored: lines.length,
    findings: [
      ...differences(sent, lines),
      ...cutFindings(cuts, publishes + 1),
      ...stampFindings(lines, cuts),
    ],
    cuts: cuts.flat().length,
    publishMs,
    pauses: addedPauses(before, await pausesOf(cluster)),
  }
}

/** Everything into the own store, with the revision's number in the place of the line's tags. */
class StampingPipeline {
  readonly id: string
  readonly #account: RunningWeir
  readonly #source: string
  readonly #sink: string

  private constructor(account: RunningWeir, id: string, source: string, sink: string) {
    this.#account = account
    this.id = id
    this.#source = source
    this.#sink = sink
  }

  static async create(account: RunningWeir): Promise<StampingPipeline> {
    const create = async (path: string, body: object) =>
      (await account.send<{ data: { id: string } }>('POST', path, body)).data.id
    const id = await create('/v3/pipeline', { title: 'stamps' })
    const source = await create(`/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })
    const sink = await create(`/v3/pipeline/${id}/sink`, { type: 'log-analysis', inputs: [source] })
    return new StampingPipeline(account, id, source, sink)
  }

  /** @param number that the revision will have @returns how long the call took */
  async publish(number: number): Promise<number> {
    const options = { user_config: { query: { tags: [String(number)] } }, inputs: [this.#source] }
    await this.#account.send('PUT', `/v3/pipeline/${this.id}/sink/${this.#sink}`, options)
    const startedMs = performance.now()
    await this.#account.send('POST', `/v3/pipeline/${this.id}/publish`, {})
    return performance.now() - startedMs
  }
}

/** Sends to one partition. @returns texts of the lines that were acknowledged */
async function sendUntil(
  signal: AbortSignal,
  url: string,
  { credentials }: RunningWeir,
  partition: number,
  partitions: number,
): Promise<string[]> {
  const host = hostOn(partition, partitions, credentials.accountId)
  const acknowledged: string[] = []
  while (!signal.aborted) {
    const texts = Array.from(
      { length: LINES_PER_REQUEST },
      (_, index) => `line ${acknowledged.length + index} of partition ${partition}`,
    )
    const response = await fetch(`${url}/logs/ingest?hostname=${host}`, {
      method: 'POST',
      headers: { apikey: credentials.ingestionKey, 'content-type': 'application/json' },
      body: JSON.stringify({ lines: texts.map(line => ({ line, app: 'load' })) }),
    })
    const answer = await response.text()
    if (response.status !== 200) throw new Error(`lines were not taken: ${response.status} ${answer}`)
    acknowledged.push(...texts)
    await delay(10)
  }
  return acknowledged
}

/** A host whose lines go to that partition: engine/configuration/kinds/line-routing.ts. */
function hostOn(partition: number, partitions: number, account: string): string {
  for (let number = 0; ; number++) {
    const host = `host-${number}`
    if (crc32(`${account} ${host}`) % partitions === partition) return host
  }
}

interface PlacedCut {
  readonly offset: bigint
  readonly version: number
}

/** The pipeline's cuts that changed something, by partition, in the order of the log. */
function cutsOnTheLog({ base: { ingest } }: RoleCluster, pipeline: string): Promise<PlacedCut[][]> {
  const placedIn = async (partition: number) => {
    const { first, next: end } = await ingest.bounds(partition)
    const cuts: PlacedCut[] = []
    for (let next = first; next < end; ) {
      const records = await ingest.read(partition, next, READ_BYTES)
      for (const record of records) {
        next = record.offset + 1n
        for (const { entity, version } of cutsOf(record))
          if (entity === pipeline && version > (cuts.at(-1)?.version ?? 0))
            cuts.push({ offset: record.offset, version })
      }
    }
    return cuts
  }
  return Promise.all(Array.from({ length: ingest.partitions }, (_, partition) => placedIn(partition)))
}

function differences(sent: ReadonlySet<string>, lines: readonly ExportedLine[]): string[] {
  const stored = new Map(
    [...Map.groupBy(lines, line => line._line)].map(([text, each]) => [text, each.length]),
  )
  const lost = [...sent].filter(text => !stored.has(text)).map(text => `"${text}" is lost`)
  const odd = [...stored].flatMap(([text, times]) => {
    if (times > 1) return [`"${text}" is stored ${times} times`]
    return sent.has(text) ? [] : [`"${text}" was never acknowledged`]
  })
  return [...lost, ...odd]
}

function cutFindings(cuts: readonly (readonly PlacedCut[])[], newest: number): string[] {
  return cuts.flatMap((placed, partition) => {
    const versions = placed.map(({ version }) => version)
    return versions.at(-1) === newest
      ? []
      : [`the cuts of partition ${partition} do not rise to ${newest}: ${versions.join(' ')}`]
  })
}

/** A line carries the newest revision whose cut is before it, so the numbers of its partition change only at the cuts. */
function stampFindings(lines: readonly ExportedLine[], cuts: readonly (readonly PlacedCut[])[]): string[] {
  return lines.flatMap(({ _id, _tag }) => {
    const place = parseLineId(_id)
    if (place?.topic !== 'weir.ingest') return [`line ${_id} did not come from the lines' topic`]
    const { partition, offset } = place
    const inEffect = cuts[partition]?.findLast(cut => cut.offset < offset)?.version
    const stamps = (_tag ?? []) as readonly string[]
    return stamps.length === 1 && stamps[0] === String(inEffect)
      ? []
      : [`line ${offset} of partition ${partition} carries "${stamps.join(' ')}" in place of ${inEffect}`]
  })
}

type Pauses = PublishingRun['pauses']

/** Pauses of every engine. */
function pausesOf({ engines }: RoleCluster): Promise<Pauses[]> {
  return Promise.all(
    engines.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const of = (step: keyof Pauses) => histogramOf(text, 'weir_cut_pause_seconds', { step })
      return { append: of('append'), apply: of('apply') }
    }),
  )
}

/** Pauses between two readings, of all engines. */
function addedPauses(before: readonly Pauses[], after: readonly Pauses[]): Pauses {
  const of = (step: keyof Pauses) =>
    addedHistogram(
      before.map(pauses => pauses[step]),
      after.map(pauses => pauses[step]),
    )
  return { append: of('append'), apply: of('apply') }
}
