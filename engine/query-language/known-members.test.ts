import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { drawnLine, drawnQuery } from '../../test/support/drawn-search.ts'
import { sentBatch } from '../../test/support/sent-lines.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { LineStand } from '../fold/tailed-line.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { evaluate } from './evaluate.ts'
import { evaluateKnown } from './known-members.ts'
import { parseQuery } from './parse-query.ts'

const KNOWN: JsonObject = { _host: 'web-1', level: 'ERROR', _ts: 5 }

test.each([
  ['*', true],
  ['host:web', true],
  ['host:web-2', false],
  ['_host:web level:error', true],
  ['_ts:>4', true],
  ['timeout', undefined],
  ['-timeout', undefined],
  ['timeout host:other', false],
  ['timeout -host:web', false],
  ['timeout OR host:web', true],
  ['timeout OR host:other', undefined],
  ['timeout host:web', undefined],
  ['app:nginx', undefined],
  ['message:x', undefined],
  ['ts:>4', undefined], // the line's own field of that name takes precedence
  ['host.name:x', undefined],
])('%s on a record with known host, level and time: %s', (query, verdict) => {
  expect(evaluateKnown(parseQuery(query), KNOWN, UNMETERED)).toBe(verdict)
})

const SEED = Number(process.env.SEED ?? 20_261_122)

test(`a result without the record equals the result with it (SEED=${SEED})`, () => {
  const stand = new LineStand(CATALOGUE)
  const place = {
    partition: 1,
    offset: 2n,
    row: 3,
    timeMs: 1_772_600_767_089,
    retentionDays: 30,
    behaviour: BEHAVIOUR,
  }
  let decided = 0
  fc.assert(
    fc.property(drawnLine, drawnQuery, (sent, text) => {
      const query = parseQuery(text)
      const line = stand.line(sentBatch([sent], { tags: ['prod'] }), 0, place)
      const verdict = evaluateKnown(query, line.known, UNMETERED)
      if (verdict === undefined) return
      decided++
      expect(verdict).toBe(evaluate(query, line.record))
    }),
    { seed: SEED, numRuns: 3_000 },
  )
  expect(decided).toBeGreaterThan(100)
})
