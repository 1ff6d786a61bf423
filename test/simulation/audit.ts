import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { controlType } from '../../schemas/log/control.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { STORE_TABLES } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'
import { must } from './broken-promise.ts'
import { closeCopies } from './close-copies.ts'
import type { NodeCounts } from './counts-model.ts'
import { isRefused, LogModel, lossOf, type Meaning, placeOf, type ThrottleEvent } from './model.ts'
import type { ModelLine } from './model-line.ts'
import { expectErrors, expectPushed } from './push-audit.ts'
import type { SentLine, SentRequest } from './sender.ts'
import { dayOf, isOfTable, type StoredRow, type UsageRow, usageOf } from './simulated-store.ts'
import type { World } from './world.ts'

const NODE_COLUMNS: readonly (readonly [counter: keyof NodeCounts, column: string])[] = [
  ['eventsIn', 'events_in'],
  ['bytesIn', 'bytes_in'],
  ['eventsOut', 'events_out'],
  ['bytesOut', 'bytes_out'],
  ['dropped', 'dropped'],
  ['droppedBytes', 'dropped_bytes'],
  ['failed', 'failed'],
]

/**
 * Holds everything that was promised against a world that has come to rest.
 *
 * @throws BrokenPromise with the first promise that does not hold
 */
export function audit(world: World): void {
  expectNoAlarms(world)
  const meanings: Meaning[] = []
  const sent = sentLines(world)
  for (let partition = 0; partition < world.plan.partitions; partition++) {
    const records = world.broker.archive(INGEST_TOPIC, partition)
    const meaning = new LogModel(world.recipes, world.heldDeployments).read(records)
    meanings.push(meaning)
    expectAsSent(meaning, sent)
    const gaps = gapsOf(records)
    const rows = rowsOf(world, 'lines', partition, gaps)
    expectRisingPositions(rows, partition)
    expectStored(rows, meaning, partition)
    expectThrottleGuarantees(meaning)
    expectNodeCounts(rowsOf(world, 'node_metrics', partition, gaps), meaning, gaps)
    // A minute that the lost records ended has their errors and those before them.
    if (!gaps.some(({ reached }) => reached.has('pipeline_errors')))
      expectErrors(rowsOf(world, 'pipeline_errors', partition, gaps), meaning)
    expectSameAsReplay(world, records, partition, gaps)
  }
  expectAcknowledged(world, meanings)
  expectPushed(world, meanings)
  expectUsage(world)
}

function expectNoAlarms({ processes, clients }: World): void {
  for (const { actor, alarms } of processes)
    must(
      alarms.length === 0,
      'no process stops over trouble that it should bear',
      () => `${actor.name}: ${alarms[0]}`,
    )
  for (const { alarms } of clients)
    must(alarms.length === 0, 'clients get the answers that they may get', () => alarms[0] as string)
}

/** Sent lines by account and text, which is unique. */
function sentLines({ senders }: World): Map<string, SentLine> {
  const sent = new Map<string, SentLine>()
  for (const { requests } of senders)
    for (const { account, lines } of requests)
      for (const line of lines) sent.set(`${account} ${line.text}`, line)
  return sent
}

/** All readers of the log, including this audit, use the engine's decoder: only the senders have independent data. */
function expectAsSent({ lines }: Meaning, sent: ReadonlyMap<string, SentLine>): void {
  for (const { account, text, app, level } of lines) {
    const line = sent.get(`${account} ${text}`)
    must(
      line !== undefined && line.app === app && line.level === level,
      'a line is on the log as it was sent',
      () =>
        `"${text.slice(0, 12)}" of ${account} has app "${app}" and level "${level}"; ` +
        (line === undefined ? 'nobody sent it' : `it was sent with "${line.app}" and "${line.level}"`),
    )
  }
}

/** Rows in the order in which the store accepted them. */
function rowsOf({ store }: World, table: StoreTable, partition: number, gaps: readonly Gap[]): StoredRow[] {
  return store.history
    .filter(part => isOfTable(part, table) && part.target.partition === partition)
    .flatMap(({ rows }) => rows)
    .filter(row => !isLost(row, gaps))
}

/** Places of lost records whose loss was accepted. */
interface Gap {
  readonly from: bigint
  /** Exclusive. */
  readonly to: bigint
  /** Tables that contain the counts made before the gap. */
  readonly reached: ReadonlySet<string>
}

function gapsOf(records: readonly LogRecord[]): Gap[] {
  const gaps: Gap[] = []
  for (const record of records) {
    const { value, offset } = record
    const isLines = schemaIdOf(value) === lineBatchType.id
    const written = isLines ? undefined : lossOf(controlType.decode(value))
    const loss = isRefused(record) ? placeOf(record) : written
    if (loss === undefined || offset >= BigInt(loss.to)) continue
    const last = gaps.at(-1)
    const reached = [...(last?.to === offset ? last.reached : []), ...(loss.witnessed?.reached ?? [])]
    const from = last?.to === offset ? (gaps.pop() as Gap).from : offset
    gaps.push({ from, to: offset + 1n, reached: new Set(reached) })
  }
  return gaps
}

/** Whether a row was stored from a record that the log has lost since: it stays, and its expected content is unknown. */
function isLost(row: StoredRow, gaps: readonly Gap[]): boolean {
  return gaps.some(({ from, to }) => (row.offset as bigint) >= from && (row.offset as bigint) < to)
}

function expectRisingPositions(rows: readonly StoredRow[], partition: number): void {
  let last = { offset: -1n, row: -1 }
  for (const row of rows) {
    const position = { offset: row.offset as bigint, row: row.row as number }
    const rises =
      position.offset > last.offset || (position.offset === last.offset && position.row > last.row)
    must(
      rises,
      'nothing is stored twice or out of order',
      () => `partition ${partition} has ${describe(position)} after ${describe(last)}`,
    )
    last = position
  }
}

function describe({ offset, row }: { offset: bigint; row: number }): string {
  return `${offset}/${row}`
}

/**
 * Compares record by record. If a record is stored through two destinations, the model does not define the order of its
 * rows.
 */
function expectStored(rows: readonly StoredRow[], { stored }: Meaning, partition: number): void {
  const expected = stored.map(textOfModel)
  const found = rows.map(textOfRow)
  const isSame = expected.length === found.length && sameInRecords(expected, found)
  must(isSame, 'what is stored is what the log means', () => {
    const at = expected.findIndex((text, index) => text !== found[index])
    return `partition ${partition} has ${found.length} rows instead of ${expected.length}; at ${at} there is ${found[at]} instead of ${expected[at]}`
  })
}

function sameInRecords(expected: readonly string[], found: readonly string[]): boolean {
  if (expected.every((text, index) => text === found[index])) return true
  const sorted = (texts: readonly string[]) => [...texts].sort().join('\n')
  return (
    sorted(expected) === sorted(found) && expected.every((text, index) => isSameRecord(text, found[index]))
  )
}

function isSameRecord(a: string, b: string | undefined): boolean {
  return b !== undefined && a.slice(0, a.indexOf(' ')) === b.slice(0, b.indexOf(' '))
}

function textOfModel(line: ModelLine): string {
  const { account, offset, timeMs, text, host, bytes, app, level, retentionDays } = line
  return `${offset} ${timeMs} ${account} ${host} ${app || 'unknown'} ${level} ${retentionDays} ${bytes} ${text}`
}

function textOfRow({ account, offset, t, host, app, level, retention, size, line }: StoredRow): string {
  return `${offset} ${t} ${account} ${host} ${app} ${level} ${retention} ${size} ${line}`
}

/**
 * Checks G1 and G2 of the throttle by brute force, for every event that passed or was dropped according to the rows. A
 * window never contains more than the limit, and no event was dropped while there was room. The check knows nothing of
 * the throttle's implementation.
 */
function expectThrottleGuarantees({ throttled }: Meaning): void {
  const byBucket = new Map<string, ThrottleEvent[]>()
  for (const event of throttled) {
    const key = `${event.state} ${event.bucket}`
    const events = byBucket.get(key) ?? []
    byBucket.set(key, events)
    events.push(event)
  }
  for (const events of byBucket.values()) expectBucket(events)
}

function expectBucket(events: readonly ThrottleEvent[]): void {
  const passes: number[] = []
  let longestWindowMs = 0
  let ruleSinceMs = 0
  for (const [index, { rule, line, passed, bucket }] of events.entries()) {
    // A longer window does not know events that the shorter one forgot: the rule holds after one full window.
    if (rule.windowMs > longestWindowMs || rule !== events[index - 1]?.rule) ruleSinceMs = line.timeMs
    longestWindowMs = Math.max(longestWindowMs, rule.windowMs)
    const inWindow = passes.filter(timeMs => timeMs > line.timeMs - rule.windowMs).length
    const known = passes.filter(
      timeMs => timeMs > line.timeMs - rule.windowMs && timeMs >= ruleSinceMs,
    ).length
    const what = () =>
      `"${line.text}" at ${line.timeMs} in bucket "${bucket}" of ${JSON.stringify(rule)}: ${inWindow} had passed`
    if (passed) must(known < rule.limit, 'a throttle never lets one event too many pass (G1)', what)
    else must(inWindow >= rule.limit, 'a throttle drops nothing while there is room (G2)', what)
    if (passed) passes.push(line.timeMs)
  }
}

function expectNodeCounts(rows: readonly StoredRow[], { nodes }: Meaning, gaps: readonly Gap[]): void {
  const sums = new Map<string, Map<string, number>>()
  for (const row of rows) {
    const name = `${row.account} ${row.pipeline} ${row.node}`
    const sum = sums.get(name) ?? new Map<string, number>()
    sums.set(name, sum)
    for (const [column, value] of Object.entries(row))
      if (typeof value === 'bigint') sum.set(column, (sum.get(column) ?? 0) + Number(value))
  }
  for (const [name, sum] of sums) expectConservation(name, column => sum.get(column) ?? 0)
  // A minute that the lost records ended has their counts and those before them.
  if (gaps.some(({ reached }) => reached.has('node_metrics'))) return
  for (const [name, counts] of nodes) {
    const sum = sums.get(name)
    const found = NODE_COLUMNS.map(([, column]) => sum?.get(column) ?? 0)
    const isRight = NODE_COLUMNS.every(([counter], index) => counts[counter] === found[index])
    must(isRight, 'nodes count every event and byte once', () => {
      const expected = NODE_COLUMNS.map(([counter]) => counts[counter])
      const columns = NODE_COLUMNS.map(([, column]) => column)
      return `${name}: ${columns} are ${found} instead of ${expected}`
    })
  }
  for (const name of sums.keys())
    must(
      nodes.has(name),
      'nodes count every event and byte once',
      () => `nothing should have reached ${name}`,
    )
}

function expectConservation(name: string, of: (column: string) => number): void {
  const gone = of('events_out') + of('dropped') + of('failed') + of('merged') + of('held')
  must(
    gone === of('events_in') + of('copied') + of('created'),
    'in + copied + created = out + dropped + failed + merged + held',
    () => name,
  )
}

/** The inserted bytes equal those of one undisturbed process that folds the whole log from the start. */
function expectSameAsReplay(
  world: World,
  records: readonly LogRecord[],
  partition: number,
  gaps: readonly Gap[],
): void {
  const { logId } = world
  const fold = new PartitionFold(world.catalogue, {
    topic: INGEST_TOPIC,
    partition,
    partitions: world.plan.partitions,
    logId,
  })
  const blocks = new Map<StoreTable, Buffer[]>(STORE_TABLES.map(table => [table, []]))
  for (const record of records)
    for (const { tables } of fold.apply(record))
      for (const { table, block } of tables) blocks.get(table)?.push(Buffer.concat(block))
  for (const table of STORE_TABLES) {
    const stored = world.store.history.filter(
      ({ target }) => target.table === table && target.partition === partition,
    )
    const replayed = blocks.get(table) ?? []
    if (gaps.length > 0) {
      expectSameRows(table, stored, replayed, gaps)
      continue
    }
    must(
      stored.length === replayed.length &&
        stored.every(({ block }, index) => block.equals(replayed[index] as Buffer)),
      'a replay of the log gives the same batches, byte for byte',
      () =>
        `${table} of partition ${partition}: ${stored.length} batches stored, ${replayed.length} replayed`,
    )
  }
}

/** A batch with lost records was stored as a whole, too: its records that are still on the log must agree. */
function expectSameRows(
  table: StoreTable,
  stored: readonly { readonly rows: readonly StoredRow[] }[],
  replayed: readonly Buffer[],
  gaps: readonly Gap[],
): void {
  const text = (rows: readonly StoredRow[]) =>
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const found = stored.flatMap(({ rows }) => rows.filter(row => !isLost(row, gaps)))
  const expected = replayed.flatMap(block => rowsOfBlock(table, [block]))
  must(
    text(found) === text(expected),
    'a replay of the log gives what was stored, but for what was lost',
    () => `${table}: ${found.length} rows stored, ${expected.length} replayed`,
  )
}

/** Position and time of a line on its partition. */
interface Copy {
  readonly index: number
  readonly timeMs: number
}

/** Checks from the senders' side: acknowledged lines are on the log, as often as allowed, in the order of sending. */
function expectAcknowledged(world: World, meanings: readonly Meaning[]): void {
  const { senders, plan } = world
  const lost = lostLines(world)
  const copies = new Map<string, Copy[]>()
  for (const { lines } of meanings)
    for (const [index, { account, text, timeMs }] of lines.entries()) {
      const name = `${account} ${text}`
      const found = copies.get(name) ?? []
      copies.set(name, found)
      found.push({ index, timeMs })
    }
  for (const { requests } of senders) {
    let last = -1
    for (const request of requests) {
      const isLost = request.lines.some(({ text }) => lost.has(`${request.account} ${text}`))
      expectCopies(request, copies, isLost)
      if (isLost) continue
      must(!request.isTakenFromHold, 'a front that knows of a hold takes no lines of its account', () =>
        describeRequest(request, plan.partitions),
      )
      if (request.status === 'acknowledged') expectBatchId(world, request)
      if (request.status !== 'acknowledged' || request.key === undefined) continue
      const first = copies.get(`${request.account} ${request.lines[0]?.text}`)?.[0]?.index ?? -1
      must(first > last, 'lines of one sender keep their order', () =>
        describeRequest(request, plan.partitions),
      )
      last = first
    }
  }
}

/** The id that was answered names the record on which the lines are. */
function expectBatchId({ broker, plan, logId }: World, request: SentRequest): void {
  if (request.batchId === '') return
  const [log = '', partition, offset, index] = request.batchId.split(':')
  const record = broker.archive(INGEST_TOPIC, Number(partition))[Number(offset)]
  const batch = record && LineBatchView.decode(record.value)
  const first = batch?.requests.slice(0, Number(index)).reduce((lines, each) => lines + each.lines, 0)
  const holds =
    logId.startsWith(log) &&
    Number(partition) === partitionOfAccount(request.account, plan.partitions) &&
    batch?.lineText(first ?? 0) === request.lines[0]?.text
  must(holds, 'a batch id names the lines that it was given for', () => request.batchId)
}

/** Lines of records that were on the log once, and whose loss an operator has accepted. */
function lostLines({ lost }: World): Set<string> {
  const lines = new Set<string>()
  for (const { value } of lost) {
    if (schemaIdOf(value) !== lineBatchType.id) continue
    const batch = LineBatchView.decode(value)
    for (let index = 0; index < batch.count; index++) lines.add(`${batch.account} ${batch.lineText(index)}`)
  }
  return lines
}

function expectCopies(
  request: SentRequest,
  copies: ReadonlyMap<string, readonly Copy[]>,
  isLost: boolean,
): void {
  const most = request.key === undefined ? request.attempts : 1
  const least = request.status === 'acknowledged' && !isLost ? 1 : 0
  for (const { text } of request.lines) {
    const found = copies.get(`${request.account} ${text}`) ?? []
    const what = () =>
      `"${text.slice(0, 12)}" is there ${found.length} times; it was ${request.status} after ${request.attempts} attempts`
    must(found.length >= least, 'nothing acknowledged is lost', what)
    must(closeCopies(found.map(({ timeMs }) => timeMs)) <= most, 'nothing is doubled', what)
  }
}

function describeRequest({ sender, account, lines }: SentRequest, partitions: number): string {
  return `sender ${sender}, "${lines[0]?.text}" in partition ${partitionOfAccount(account, partitions)}`
}

/** Closed days are read from their copy, all others from the lines: both equal the stored data exactly. */
function expectUsage({ store }: World): void {
  const ever = store.history.filter(part => isOfTable(part, 'lines')).flatMap(({ rows }) => rows)
  const days = new Set(ever.map(({ t }) => dayOf(Number(t))))
  for (const day of days) {
    const isOfDay = (row: StoredRow) => dayOf(Number(row.t)) === day
    const expected = usageText(usageOf(ever.filter(isOfDay)))
    const found = usageText(store.usageDays.get(day) ?? usageOf(store.rows('lines').filter(isOfDay)))
    must(found === expected, 'usage is exact', () => `on ${day} it is ${found} instead of ${expected}`)
  }
}

function usageText(rows: readonly UsageRow[]): string {
  return rows
    .map(({ account, app, bytes, lines }) => `${account} ${app} ${bytes} bytes ${lines} lines`)
    .sort()
    .join('; ')
}
