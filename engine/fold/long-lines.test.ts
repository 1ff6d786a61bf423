import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { LineTable } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { drawnMembers, drawnSpelling, drawnValue, spelledText } from '../../test/support/drawn-json.ts'
import { Event } from '../event/event.ts'
import { withMember } from '../json/ordered-object.ts'
import { LineBatchBuilder } from '../lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import {
  forgetRareMembers,
  LONG_RARE_BYTES,
  rareMembersOf,
  readingRareMembers,
} from '../lines/columns/rare-members.ts'
import { newLineBlock } from '../lines/native-block/line-block.ts'
import { LineReader } from '../lines/scan/line-reader.ts'
import { timeBounds } from '../lines/scan/timestamp.ts'
import { FieldNames } from '../lines/stored-line/line-fields.ts'
import { newStoredLine } from '../lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { finish } from '../steps.ts'
import { encodeBehaviour } from './control-record.ts'
import { PartitionFold } from './partition-fold.ts'

const START_MS = Date.UTC(2031, 2, 9, 8)
const LIMIT_BYTES = 2_097_152
const REQUEST = {
  hostname: 'web-1',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  driftMs: null,
  idempotency: null,
}

/** A request with one line, as it is on the log. @param members JSON text of members beside its text */
function recordOf(members: string): Buffer {
  const reader = new LineReader()
  reader.load([Buffer.from(`{"lines":[{"line":"x",${members}}]}`)])
  const batch = new LineBatchBuilder()
  batch.addRequest(into => {
    reader.readLines(into, timeBounds(START_MS, 30), null, LIMIT_BYTES)
    return { facts: { ...REQUEST, receivedAtMs: START_MS } }
  })
  return batch.encode('a', 'ingest')
}

const drawnLine = fc.record({
  label: fc.oneof(drawnMembers, drawnValue),
  annotation: drawnMembers,
  meta: fc.oneof(drawnMembers, drawnValue),
  q: drawnValue,
  7: drawnMembers,
})

/** Member that a node adds; undefined: it changes nothing. Half of a surrogate pair is replaced, its escape within a text is not. */
const drawnChange = fc.constantFrom(undefined, undefined, 1, '\ud83d', '\\ud800', { a: ['\ude00'] })
const drawnBehaviour = fc.constantFrom(FOURTH_BEHAVIOUR, BEHAVIOUR, BEHAVIOUR)

test.each<LineTable>(['slotted_lines', 'lines'])(
  'a line is the same row of %s whether it is made in steps or in one go',
  table => {
    const sink = CATALOGUE.defaultOwnStore()
    fc.assert(
      fc.property(
        drawnLine,
        drawnSpelling,
        drawnChange,
        drawnBehaviour,
        (drawn, spelling, added, behaviour) => {
          const members = Object.entries(drawn).map(
            ([key, value]) => `"${key}":${spelledText(value, spelling)}`,
          )
          const sent = Event.ofLine(LineBatchView.decode(recordOf(members.join())), 0)
          const { message } = sent
          const event =
            added === undefined ? sent : sent.withMessage(withMember(message as JsonObject, 'added', added))
          const made = [true, false].map(isInSteps => {
            const context = { account: 'a', timeMs: START_MS, retentionDays: 30, poolDays: 0, behaviour }
            const named = { ...context, fieldNames: new FieldNames() }
            const line = newStoredLine()
            const block = newLineBlock(table)
            if (isInSteps) {
              expect(finish(sink.fillingHead(event, line, named))).toBeUndefined()
              finish(sink.fillingFields(line, named))
              finish(block.appending(3n, 5, line))
            } else {
              expect(sink.fill(event, line, named)).toBeUndefined()
              block.append(3n, 5, line)
            }
            return {
              line: { ...line, textBytes: [] },
              bytes: block.bytes,
              block: Buffer.concat(block.take()),
            }
          })
          expect(made[0]).toEqual(made[1])
        },
      ),
      { numRuns: 250 },
    )
  },
)

const LONG = 1_900_000
const NUMBERS = '1,'.repeat(LONG / 2)

test.each([
  ['labels that are numbers', `"label":{"a":[${NUMBERS}1]}`],
  ['labels deep within others', `"label":{"a":{"b":{"c":{"d":[${NUMBERS}1]}}}}`],
  ['unknown members with an integer of 19 digits', `"q":[${NUMBERS}1234567890123456789]`],
  ['a text of escapes', `"label":{"a":"${'\\"'.repeat(LONG / 2)}"}`],
])('a line with 1.9 MB of %s made all other work wait for 30 ms or more', (_what, members) => {
  const fold = new PartitionFold(CATALOGUE, {
    topic: INGEST_TOPIC,
    partition: 0,
    partitions: 1,
    logId: 'log',
  })
  fold.apply({ offset: 0n, appendTimeMs: START_MS, producer: null, value: encodeBehaviour() })
  const value = recordOf(members)
  const parse = vi.spyOn(JSON, 'parse')
  const stringify = vi.spyOn(JSON, 'stringify')
  let steps = 1
  const record = { offset: 1n, appendTimeMs: START_MS + 1, producer: null, value }
  for (const _ of fold.applying(record) as Iterable<undefined>) steps++
  const lengths = [
    ...parse.mock.calls.map(([text]) => text.length),
    ...stringify.mock.results.map(({ value: text }) => String(text).length),
  ]
  vi.restoreAllMocks()
  expect(Math.max(...lengths)).toBeLessThan(50_000)
  expect(steps).toBeGreaterThan(120)
})

test('long rare members are parsed once for all readers, and not kept afterwards', () => {
  const batch = LineBatchView.decode(recordOf(`"label":{"a":"${'x'.repeat(LONG_RARE_BYTES)}"},"q":[1]`))
  const before = rareMembersOf(batch, 0)
  finish(readingRareMembers(batch, [0]))
  const read = rareMembersOf(batch, 0)
  expect(read).toEqual(before)
  expect(rareMembersOf(batch, 0)).toBe(read)
  forgetRareMembers(batch)
  expect(rareMembersOf(batch, 0)).not.toBe(read)
})
