import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { INGEST_TOPIC, TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { drawnLine, drawnQuery } from '../../../test/support/drawn-search.ts'
import {
  ACCOUNT,
  RECEIVED_MS,
  type SentLine,
  sentBatch,
  sentEvent,
} from '../../../test/support/sent-lines.ts'
import { UNMETERED } from '../../expressions/cost-meter.ts'
import { parseJson } from '../../json/json-text.ts'
import { FieldNames } from '../../lines/stored-line/line-fields.ts'
import { renderRecord } from '../../lines/stored-line/line-record.ts'
import type { StoredLine } from '../../lines/stored-line/stored-line.ts'
import { newStoredLine } from '../../lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { evaluate } from '../../query-language/evaluate.ts'
import { parseQuery } from '../../query-language/parse-query.ts'
import { QuerySyntaxError } from '../../query-language/query-syntax-error.ts'
import { LineStand } from '../tailed-line.ts'
import { AccountRules } from './account-rules.ts'
import { compileLineTest, judgedArrival, judgedRecord } from './line-rules.ts'

const PLACE = { topic: INGEST_TOPIC, partition: 3, offset: 17n, row: 4 } as const

function storedLine(sent: SentLine): StoredLine {
  const line = newStoredLine()
  const context = {
    account: ACCOUNT,
    timeMs: RECEIVED_MS,
    retentionDays: 30,
    poolDays: 0,
    behaviour: BEHAVIOUR,
    fieldNames: new FieldNames(),
  }
  CATALOGUE.defaultOwnStore().fill(sentEvent(sent), line, context)
  return line
}

/** Record of a line as answers show it, without the members that rules set. */
function shownRecord(line: StoredLine): JsonObject {
  const text = renderRecord({
    ...line,
    ...PLACE,
    topic: TOPIC_NUMBERS['weir.ingest'],
    offset: String(PLACE.offset),
    t: line.timeMs,
    ts: line.timestampMs,
    remote: line.remoteAddress,
    line: Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString(),
    size: line.sizeBytes,
    retention: line.retentionDays,
  })
  const { _retention, _mezmo_line_size, ...record } = parseJson(text) as JsonObject
  return record
}

function isReadable(query: string): boolean {
  try {
    parseQuery(query)
    return true
  } catch (error) {
    if (error instanceof QuerySyntaxError) return false
    throw error
  }
}

const JUDGING = { bytes: 0, meter: UNMETERED, behaviour: BEHAVIOUR }

function excludes(query: string, line: StoredLine): boolean {
  const rules = new AccountRules()
  const exclusions = [{ id: '1', title: '', apps: [], hosts: [], query }]
  rules.set({ accountId: ACCOUNT, exclusions, retentionRules: [] })
  return rules.judge(line, PLACE, JUDGING) !== undefined
}

test('a rule matches the lines whose record its query matches', () => {
  const matched = { yes: 0, no: 0 }
  fc.assert(
    fc.property(drawnLine, drawnQuery, (sent, query) => {
      fc.pre(query.trim() !== '' && isReadable(query))
      const line = storedLine(sent)
      const namesNothingSettled = !/_retention|_mezmo_line_size/.test(query)
      const isMeant = namesNothingSettled && evaluate(parseQuery(query), shownRecord(line))
      matched[isMeant ? 'yes' : 'no']++
      expect(excludes(query, line)).toBe(isMeant)
    }),
    { numRuns: 2_000, seed: 5 },
  )
  expect(Math.min(matched.yes, matched.no)).toBeGreaterThan(200)
})

test('an arriving line is judged as for tails, in the form that the default graph would store', () => {
  const stand = new LineStand(CATALOGUE)
  const { partition, offset, row } = PLACE
  const place = { partition, offset, row, timeMs: RECEIVED_MS, retentionDays: 30, behaviour: BEHAVIOUR }
  const matched = { yes: 0, no: 0 }
  fc.assert(
    fc.property(drawnLine, drawnQuery, fc.subarray(['web-1', 'a', 'b', 'app-1']), (sent, query, names) => {
      const rules = new AccountRules()
      const conditions = { apps: names.slice(0, 1), hosts: names.slice(1, 2), query }
      const exclusions = [{ id: '1', title: '', ...conditions, entirely: true }]
      rules.set({ accountId: ACCOUNT, exclusions, retentionRules: [] })
      const arrived = stand.line(sentBatch([sent]), 0, place)
      const isDropped =
        rules.judgeArrival(judgedArrival(arrived), { timeMs: RECEIVED_MS, ...JUDGING }) !== undefined
      matched[isDropped ? 'yes' : 'no']++
      expect(isDropped).toBe(compileLineTest(conditions)(judgedRecord(arrived.record), UNMETERED))
      expect(isDropped).toBe(rules.judge(storedLine(sent), PLACE, JUDGING) !== undefined)
    }),
    { numRuns: 2_000, seed: 6 },
  )
  expect(Math.min(matched.yes, matched.no)).toBeGreaterThan(50)
})

test.each([
  [
    'a member that the service leaves to the line',
    { line: '{"_file":"x","level":{"a":1}}' },
    '_file:x _level.a:1',
  ],
  ['a member named __proto__', { line: '{"__proto__":{"a":1}}' }, '__proto__.a:1'],
  ['the id', { line: 'x' }, '_id:* _lid:*'],
  ['a letter beside ASCII that equals one of it', { line: 'ſucceſs of \u212aelvin' }, 'success kelvin'],
  ['escaped text', { line: '{"a":"\\u0065rror\\n"}' }, 'a:===error'],
  ['an integer with all its digits', { line: '{"n":12345678901234567890}' }, 'n:12345678901234567890'],
])('rules see %s', (_name, sent, query) => {
  expect(excludes(query, storedLine(sent))).toBe(true)
  expect(evaluate(parseQuery(query), shownRecord(storedLine(sent)))).toBe(true)
})

test.each([
  [FOURTH_BEHAVIOUR, 30],
  [BEHAVIOUR, 90],
])(
  'with behaviour %i, a line with a rule of 90 days is kept %i days in an account of 30',
  (behaviour, days) => {
    const rules = new AccountRules()
    const rule = { id: '1', days: 90, apps: [], hosts: [], levels: [], query: '*' }
    rules.set({ accountId: ACCOUNT, exclusions: [], retentionRules: [rule] })
    const line = storedLine({ line: 'x' })
    expect(line.retentionDays).toBe(30)
    rules.judge(line, PLACE, { ...JUDGING, behaviour })
    expect([line.retentionDays, line.poolDays]).toEqual([days, 90])
    rules.set({ accountId: ACCOUNT, exclusions: [], retentionRules: [{ ...rule, days: 7 }] })
    rules.judge(line, PLACE, { ...JUDGING, behaviour })
    expect([line.retentionDays, line.poolDays]).toEqual([7, 7])
  },
)
