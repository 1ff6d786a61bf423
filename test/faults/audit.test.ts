import { expect, test } from 'vitest'
import { newDice } from '../support/dice.ts'
import { Auditor, type Facts } from './audit.ts'
import type { FindingKind } from './finding.ts'
import { PlainBudget } from './plain-budget.ts'
import { PlainThrottle, type ThrottleRule } from './plain-throttle.ts'
import { requestName, type SentRequest } from './sent-request.ts'
import { countedBytes, type HostUsage, positionOf, type StoredRow } from './stored-row.ts'
import { Traffic } from './traffic.ts'

const RULE: ThrottleRule = { limit: 4, windowMs: 1_000 }
const START_MS = 1_767_225_600_000
const STEP_MS = 50
const HOST = 'main-0'

type Doctored = { -readonly [Member in keyof Facts]: Facts[Member] }

/** Rows that a program without a fault would have: two connections, by turns, a record every 50 ms. */
function faultless(requests = 60): Doctored {
  const dice = newDice(1)
  const traffics = [new Traffic(1, 0), new Traffic(1, 1)]
  const throttle = new PlainThrottle()
  const sent: SentRequest[] = []
  const stored: StoredRow[] = []
  for (let number = 0; number < requests; number++) {
    const request = (traffics[number % 2] as Traffic).next(HOST)
    request.attempts = 1 + dice.below(2)
    request.outcome = 'acknowledged'
    sent.push(request)
    stored.push(...rowsOf(request, number, throttle))
  }
  return { rule: RULE, sent, stored, usage: usageOf(stored) }
}

function rowsOf(request: SentRequest, record: number, throttle: PlainThrottle): StoredRow[] {
  const timeMs = START_MS + record * STEP_MS
  return request.lines
    .filter(({ app, level }) => level === 'kept' || throttle.lets(app, timeMs, RULE))
    .map(({ text, app, level, meta }, row) => ({
      timeMs,
      partition: 1,
      offset: BigInt(record),
      row,
      host: HOST,
      app: app === '' ? 'unknown' : app,
      level: level.toUpperCase(),
      text,
      meta,
      sizeBytes: countedBytes({ text, meta }),
    }))
}

function usageOf(stored: readonly StoredRow[]): Map<string, HostUsage> {
  const bytes = stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return new Map([[HOST, { lines: stored.length, bytes }]])
}

/** Amounts by kind. */
function found(facts: Facts): Partial<Record<FindingKind, number>> {
  const amounts: Partial<Record<FindingKind, number>> = {}
  for (const { kind, amount } of new Auditor().audit(facts)) amounts[kind] = (amounts[kind] ?? 0) + amount
  return amounts
}

/** Facts without some rows, and with usage that agrees with the remaining ones. */
function withRows(facts: Facts, stored: readonly StoredRow[]): Facts {
  return { ...facts, stored, usage: usageOf(stored) }
}

const indexOf = (facts: Facts, level: string) =>
  facts.stored.findIndex((row, at) => at > 100 && row.level === level)

test('lines of lost records need not be stored, and what the throttle remembered of them is lost with them', () => {
  const facts = faultless()
  const [from, to] = [20n, 30n]
  const lostRequests = facts.sent.filter((_, record) => BigInt(record) >= from && BigInt(record) < to)
  const requests = new Set(lostRequests.map(requestName))
  const kept = facts.stored.filter(({ offset }) => offset < from)
  const stored: StoredRow[] = [...kept]
  const throttle = new PlainThrottle()
  for (const [record, request] of facts.sent.entries()) {
    if (BigInt(record) >= from && BigInt(record) < to) continue
    const rows = rowsOf(request, record, throttle)
    if (BigInt(record) >= to) stored.push(...rows)
  }
  const lossy = {
    ...facts,
    stored,
    usage: usageOf(stored),
    lost: [{ from, to, requests, minutesMs: new Set<number>() }],
  }
  expect(found(lossy)).toEqual({})
  expect(found({ ...lossy, lost: [] }).lost).toBeGreaterThan(0)
  // Some of them were stored before.
  const before = facts.stored.filter(({ offset }) => offset >= from && offset < from + 5n)
  const all = [...stored, ...before]
  expect(found({ ...lossy, stored: all, usage: usageOf(all) })).toEqual({})
})

test('a line passed although its account had no units left for its expression', () => {
  const facts = faultless()
  const looking = { ...facts, rule: { ...RULE, looks: true } }
  expect(found(looking).other).toBeGreaterThan(0)
  const budget = new PlainBudget()
  const throttle = new PlainThrottle()
  const stored = facts.sent.flatMap((request, record) => {
    budget.begin(
      START_MS + record * STEP_MS,
      request.lines.reduce((sum, line) => sum + countedBytes(line), 0),
    )
    const lines = request.lines.filter(({ level, text }) => level === 'kept' || budget.affords(text))
    return rowsOf({ ...request, lines }, record, throttle)
  })
  expect(found({ ...looking, stored, usage: usageOf(stored) })).toEqual({})
  const last = stored.findLastIndex(({ level }) => level === 'LIMITED')
  const without = stored.toSpliced(last, 1)
  expect(found({ ...looking, stored: without, usage: usageOf(without) })).toEqual({ lost: 1 })
})

test('a correct store has no findings, in any order of the rows', () => {
  const facts = faultless()
  expect(facts.stored.some(({ level }) => level === 'LIMITED')).toBe(true)
  expect(facts.sent.flatMap(({ lines }) => lines).length).toBeGreaterThan(facts.stored.length * 1.3)
  expect(found(facts)).toEqual({})
  expect(found({ ...facts, stored: facts.stored.toReversed() })).toEqual({})
})

test.each(['KEPT', 'LIMITED'])('one line that is not stored is one lost line (%s)', level => {
  const facts = faultless()
  expect(found(withRows(facts, facts.stored.toSpliced(indexOf(facts, level), 1)))).toEqual({ lost: 1 })
})

test('a request of which nothing is stored is lost if it was acknowledged, and is not a finding otherwise', () => {
  const facts = faultless()
  const last = facts.sent.at(-1) as SentRequest
  const rows = facts.stored.filter(({ text }) => !text.includes(`${requestName(last)}/`))
  expect(rows.length).toBeLessThan(facts.stored.length)
  expect(found(withRows(facts, rows))).toEqual({ lost: last.lines.length })
  last.outcome = 'abandoned'
  expect(found(withRows(facts, rows))).toEqual({})
})

test('a row that is stored twice is one doubled line', () => {
  const facts = faultless()
  const row = facts.stored[120] as StoredRow
  expect(found(withRows(facts, [...facts.stored, row]))).toEqual({ doubled: 1 })
})

test('a request that is stored again is doubled if it has a key, and otherwise if it is stored more often than sent', () => {
  const facts = faultless()
  const again = (request: SentRequest) => {
    const rows = facts.stored.filter(({ text }) => text.includes(`${requestName(request)}/`))
    const kept = rows.filter(({ level }) => level === 'KEPT')
    // All buckets are full of later passes, so of a repeat at the end of the log only the excluded lines pass.
    const repeat = kept.map(row => ({ ...row, offset: 10_000n, timeMs: START_MS + 60 * STEP_MS }))
    return { rows: [...facts.stored, ...repeat], count: kept.length }
  }
  const sentBy = (connection: number) =>
    facts.sent.find(request => request.connection === connection && request.number > 5) as SentRequest
  const withKey = again(sentBy(0))
  expect(found(withRows(facts, withKey.rows))).toEqual({ doubled: withKey.count })
  const keyless = sentBy(1)
  const withoutKey = again(keyless)
  keyless.attempts = 1
  expect(found(withRows(facts, withoutKey.rows))).toEqual({ doubled: withoutKey.count })
  keyless.attempts = 2
  expect(found(withRows(facts, withoutKey.rows)).doubled).toBeUndefined()
})

test('one line that passed beyond the limit is one over the limit', () => {
  const facts = faultless()
  const { request, place } = firstDiscarded(facts)
  const before = facts.stored.find(({ text }) =>
    text.includes(`${requestName(request)}/${place - 1}`),
  ) as StoredRow
  const line = request.lines[place] as SentRequest['lines'][number]
  const surplus = {
    ...before,
    row: before.row + 0.5,
    app: line.app || 'unknown',
    level: 'LIMITED',
    text: line.text,
    meta: line.meta,
    sizeBytes: countedBytes(line),
  }
  expect(found(withRows(facts, [...facts.stored, surplus]))).toEqual({ 'over limit': 1 })
})

/** A line that the throttle holds back right behind one that is stored. */
function firstDiscarded({ sent, stored }: Facts): { request: SentRequest; place: number } {
  const texts = new Set(stored.map(({ text }) => text))
  for (const request of sent) {
    const place = request.lines.findIndex(
      ({ text }, at) => !texts.has(text) && texts.has(request.lines[at - 1]?.text ?? ''),
    )
    if (place > 0) return { request, place }
  }
  throw new Error('nothing was held back')
}

test('another limit, or a window that ends one millisecond later, is noticed', () => {
  const facts = faultless()
  expect(found({ ...facts, rule: { ...RULE, windowMs: RULE.windowMs + 1 } })['over limit']).toBeGreaterThan(0)
  expect(found({ ...facts, rule: { ...RULE, windowMs: RULE.windowMs - STEP_MS } }).lost).toBeGreaterThan(0)
  expect(found({ ...facts, rule: { ...RULE, limit: RULE.limit - 1 } })['over limit']).toBeGreaterThan(0)
  expect(found({ ...facts, rule: { ...RULE, limit: RULE.limit + 1 } }).lost).toBeGreaterThan(0)
})

test('one byte of a text, of its size or of usage is one byte off', () => {
  const facts = faultless()
  const place = facts.stored.findIndex(({ text }) => /[a-z]$/.test(text))
  const row = facts.stored[place] as StoredRow
  const replaced = (change: Partial<StoredRow>) => facts.stored.with(place, { ...row, ...change })
  const text = `${row.text.slice(0, -1)}!`
  expect(found(withRows(facts, replaced({ text })))).toEqual({ 'bytes off': 1 })
  expect(found(withRows(facts, replaced({ sizeBytes: row.sizeBytes + 1 })))).toEqual({ 'bytes off': 1 })
  const { lines, bytes } = facts.usage.get(HOST) as HostUsage
  expect(found({ ...facts, usage: new Map([[HOST, { lines, bytes: bytes - 1 }]]) })).toEqual({
    'bytes off': 1,
  })
})

test('wrong order, log time or members, unknown lines and wrong counts are other findings', () => {
  const facts = faultless()
  const row = facts.stored[50] as StoredRow
  const replaced = (change: Partial<StoredRow>) =>
    withRows(facts, facts.stored.with(50, { ...row, ...change }))
  expect(found(replaced({ level: 'INFO' }))).toEqual({ other: 1 })
  expect(found(replaced({ app: 'another' }))).toEqual({ other: 1 })
  const strange = { ...row, offset: 9_999n, text: 'who wrote this?' }
  expect(found(withRows(facts, [...facts.stored, strange])).other).toBe(1)
  const { lines, bytes } = facts.usage.get(HOST) as HostUsage
  expect(found({ ...facts, usage: new Map([[HOST, { lines: lines + 1, bytes }]]) })).toEqual({ other: 1 })
  const swapped = facts.stored.map(each => ({ ...each, offset: each.offset ^ 2n }))
  expect(found(withRows(facts, swapped)).other).toBeGreaterThan(0)
  const back = facts.stored.map(each => ({
    ...each,
    timeMs: each.offset === 30n ? each.timeMs - 200 : each.timeMs,
  }))
  expect(found(withRows(facts, back)).other).toBe(1)
})

test('the pass times of one audit count in the next', () => {
  const facts = faultless()
  const auditor = new Auditor()
  const half = facts.sent[30] as SentRequest
  const isEarly = ({ offset }: StoredRow) => offset < 30n
  const [early, late] = [facts.stored.filter(isEarly), facts.stored.filter(row => !isEarly(row))]
  expect(half.number).toBe(15)
  const parts = [
    { ...withRows(facts, early), sent: facts.sent.slice(0, 30) },
    { ...withRows(facts, late), sent: facts.sent.slice(30) },
  ]
  expect(parts.flatMap(part => auditor.audit(part))).toEqual([])
  expect(auditor.seen).toEqual(facts.usage.get(HOST))
  expect(new Auditor().audit(parts[1] as Facts)).not.toEqual([])
})

test('an id contains the place of its line', () => {
  const id = (((1_772_600_767_089n << 14n) | 3n) << 72n) | (4_000_000_000n << 32n) | 17n
  expect(positionOf(String(id))).toEqual({
    timeMs: 1_772_600_767_089,
    partition: 3,
    offset: 4_000_000_000n,
    row: 17,
  })
})
