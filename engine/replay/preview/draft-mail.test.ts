import { expect, test } from 'vitest'
import { type Rekeyed, rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { Event } from '../../event/event.ts'
import type { Mail, SentPart } from '../../fold/spread/fold-mail.ts'
import { decodedRun, encodedRun } from '../../fold/spread/rekeyed-part.ts'
import { LineBatchView } from '../../lines/columns/line-batch-view.ts'
import { DraftMail } from './draft-mail.ts'

const ONE = { topic: INGEST_TOPIC, partition: 0 }
const OTHER = { topic: INGEST_TOPIC, partition: 1 }
const KEYED = { topic: KEYED_TOPIC, partition: 0 }
const START = 10n

function newMail(): DraftMail {
  return new DraftMail(SAMPLE_ACCOUNT, [
    [ONE, START],
    [OTHER, START],
    [KEYED, START],
  ])
}

/** Events of a record that wait at a node, one per row. */
function run(offset: number, rows: readonly number[], node = 'limit') {
  const texts = rows.map(row => ({ line: `${offset}/${row} ${node}` }))
  const batch = LineBatchView.decode(lineBatchValue([{ lines: texts }]))
  return {
    place: { pipeline: 'pipeline-1', version: 1, node },
    entrance: batch.entrance,
    events: rows.map((_, index) => Event.ofLine(batch, index)),
    positions: rows.map(row => ({ offset: BigInt(offset), row })),
  }
}

const to = (...parts: SentPart[]): Mail[] => [
  { target: { topic: 'keyed', partition: 0 }, account: SAMPLE_ACCOUNT, parts },
]

/** Record that a partition has actually sent. */
function record(source: typeof ONE, ...runs: ReturnType<typeof run>[]): Rekeyed {
  return {
    behaviour: 2,
    sourceTopic: source.topic,
    sourcePartition: source.partition,
    account: SAMPLE_ACCOUNT,
    parts: runs.map(each => ({ 'weir.RekeyedEvents': encodedRun(each, SAMPLE_ACCOUNT) })),
  }
}

/** Texts of the lines, part by part. */
function textsIn(value: Buffer): unknown[][] {
  return rekeyedType
    .decode(value)
    .parts.map(part =>
      'weir.RekeyedEvents' in part
        ? decodedRun(part['weir.RekeyedEvents']).events.map(event => event.member('line'))
        : [],
    )
}

/** @returns events that arrive at once */
function send(mail: DraftMail, source: typeof ONE, deployed: readonly Mail[], draft: readonly Mail[]) {
  return [...mail.send(source, deployed, draft)].map(({ target, value }) => ({
    target,
    texts: textsIn(value),
  }))
}

test('events of the draft for a record arrive with the events that were really sent for it', () => {
  const mail = newMail()
  expect(send(mail, ONE, to(run(10, [0])), to(run(10, [0])))).toEqual([])
  expect(send(mail, ONE, to(run(11, [0, 1])), to(run(11, [0, 1, 2])))).toEqual([])
  expect(mail.size).toBe(4)
  expect(textsIn(mail.arriving(record(ONE, run(10, [0])), KEYED))).toEqual([['10/0 limit']])
  expect(textsIn(mail.arriving(record(ONE, run(10, [0])), KEYED))).toEqual([])
  // Additional events of the draft arrive with the last of the record.
  expect(textsIn(mail.arriving(record(ONE, run(11, [0])), KEYED))).toEqual([['11/0 limit']])
  expect(textsIn(mail.arriving(record(ONE, run(11, [1])), KEYED))).toEqual([['11/1 limit', '11/2 limit']])
  expect(mail.size).toBe(0)
})

test('events that were continued together arrive together, even of several records, and others do not', () => {
  const mail = newMail()
  for (const offset of [10, 11, 12]) send(mail, ONE, to(run(offset, [0])), to(run(offset, [0])))
  const together = run(11, [0])
  together.positions.unshift({ offset: 10n, row: 0 })
  together.events.unshift(...run(10, [0]).events)
  const arriving = mail.arriving(record(ONE, together, run(12, [0])), KEYED)
  expect(textsIn(arriving)).toEqual([['10/0 limit', '11/0 limit'], ['12/0 limit']])
})

test('nodes of a draft follow each other in the order of sending', () => {
  const mail = newMail()
  const sent = to(run(10, [0, 1], 'limit'), run(10, [2], 'second'), run(10, [3], 'limit'))
  send(mail, ONE, to(run(10, [0, 1, 2, 3])), sent)
  expect(textsIn(mail.arriving(record(ONE, run(10, [0, 1, 2, 3])), KEYED))).toEqual([
    ['10/0 limit', '10/1 limit'],
    ['10/2 second'],
    ['10/3 limit'],
  ])
})

test('events without a counterpart arrive at once, behind earlier ones', () => {
  const mail = newMail()
  expect(send(mail, ONE, [], to(run(10, [0])))).toEqual([{ target: KEYED, texts: [['10/0 limit']] }])
  send(mail, ONE, to(run(11, [0])), to(run(11, [0])))
  expect(send(mail, ONE, [], to(run(12, [0])))).toEqual([])
  // Events of another partition do not wait.
  expect(send(mail, OTHER, [], to(run(12, [0])))).toHaveLength(1)
  expect(textsIn(mail.arriving(record(OTHER, run(20, [0])), KEYED))).toEqual([])
  expect(textsIn(mail.arriving(record(ONE, run(11, [0])), KEYED))).toEqual([['11/0 limit', '12/0 limit']])
  expect(mail.size).toBe(0)
})

test('events that were sent before the draft begins arrive as they were, and no other real events do', () => {
  const mail = newMail()
  const before = record(ONE, run(8, [0]), run(9, [0, 1]))
  expect(textsIn(mail.arriving(before, KEYED))).toEqual([['8/0 limit'], ['9/0 limit', '9/1 limit']])
  const across = run(10, [0, 1])
  across.positions.unshift({ offset: 9n, row: 2 })
  across.events.unshift(...run(9, [2]).events)
  expect(textsIn(mail.arriving(record(ONE, across), KEYED))).toEqual([['9/2 limit']])
})

test('an order is assumed once events without a real counterpart are sent', () => {
  const mail = newMail()
  send(mail, ONE, to(run(10, [0])), to(run(10, [0])))
  send(mail, ONE, to(run(11, [0])), [])
  expect(mail.isAssumed).toBe(false)
  send(mail, ONE, to(run(12, [0])), to(run(12, [0, 1])))
  expect(mail.isAssumed).toBe(true)
  const other = newMail()
  send(other, ONE, [], to(run(10, [0])))
  expect(other.isAssumed).toBe(true)
})
