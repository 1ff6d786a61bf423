import { ClickHouseError } from '@clickhouse/client'
import { describe, expect, test } from 'vitest'
import { auditFailure, insertFailure, openFailure, statementFailure } from './store-failure.ts'

const engineError = (code: string) => new ClickHouseError({ message: 'message', code, type: 'TYPE' })
const systemError = (code: string) => Object.assign(new Error('message'), { code })

test.each([
  ['another owner', engineError('395'), 'FENCED', false],
  ['a statement that is wrong', engineError('62'), 'STATEMENT_FAILED', false],
  ['too many parts', engineError('252'), 'UNAVAILABLE', true],
  ['a full disk', engineError('243'), 'UNAVAILABLE', true],
  ['nobody listens', systemError('ECONNREFUSED'), 'UNAVAILABLE', true],
  ['a connection that broke', systemError('ECONNRESET'), 'OUTCOME_UNKNOWN', true],
  ['a time-out', new Error('Timeout error.'), 'OUTCOME_UNKNOWN', true],
  ['a statement that was ended', engineError('394'), 'OUTCOME_UNKNOWN', true],
  ['an error that nobody has heard of', engineError('99999'), 'OUTCOME_UNKNOWN', true],
])('an insert and %s', (_, error, code, retriable) => {
  expect(insertFailure(error)).toMatchObject({ code, retriable, cause: error })
})

test('a claim is fenced by the message of its own statement, not by any other check', () => {
  const fenced = new Error(
    'Code: 395. DB::Exception: fenced: another owner has taken the partition: while executing',
  )
  expect(statementFailure(fenced).code).toBe('FENCED')
  expect(statementFailure(engineError('395')).code).toBe('STATEMENT_FAILED')
})

test('a search that cannot reach the engine is retriable, and a wrong one is not', () => {
  expect(statementFailure(systemError('ECONNRESET'))).toMatchObject({ code: 'UNAVAILABLE', retriable: true })
  expect(statementFailure(engineError('47'))).toMatchObject({ code: 'STATEMENT_FAILED', retriable: false })
  expect(statementFailure(new TypeError('parameter a is not given')).code).toBe('STATEMENT_FAILED')
})

test('a statement that somebody cancelled, or that found no thread, is retriable', () => {
  for (const code of ['394', '439', '236'])
    expect(statementFailure(engineError(code))).toMatchObject({ code: 'UNAVAILABLE', retriable: true })
})

test.each([
  ['a wrong password', engineError('516'), 'LOGIN_REFUSED', false],
  ['a database that is not there', engineError('81'), 'DATABASE_MISSING', false],
  ['a right that is not granted', engineError('497'), 'RIGHT_MISSING', false],
  ['a certificate of nobody', systemError('DEPTH_ZERO_SELF_SIGNED_CERT'), 'NOT_TRUSTED', false],
  ['a certificate of another host', systemError('ERR_TLS_CERT_ALTNAME_INVALID'), 'NOT_TRUSTED', false],
  ['nobody listens', systemError('ECONNREFUSED'), 'UNAVAILABLE', true],
  ['an unknown host, which may be one that has not started', systemError('ENOTFOUND'), 'UNAVAILABLE', true],
  ['something else answers', new Error('<html>'), 'UNAVAILABLE', true],
])('opening the store and %s', (_, error, code, retriable) => {
  expect(openFailure(error)).toMatchObject({ code, retriable, cause: error })
})

test('a later refusal of the login is retriable, because the password may be corrected', () => {
  expect(statementFailure(engineError('516'))).toMatchObject({ code: 'UNAVAILABLE', retriable: true })
})

test('a name with two silent addresses fails with the messages of both', () => {
  const errors = [
    new Error('connect ECONNREFUSED ::1:8123'),
    new Error('connect ECONNREFUSED 127.0.0.1:8123'),
  ]
  const both = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' })
  expect(openFailure(both).message).toBe('connect ECONNREFUSED ::1:8123, connect ECONNREFUSED 127.0.0.1:8123')
})

test('an audit names a damaged file briefly, with the remedy', () => {
  const message =
    "Checksum doesn't match: corrupted data. Reference: 30. Actual: 23. This is most likely due to hardware failure: " +
    'While reading or decompressing /data/store/8f5/20260101_1_6_1/line.bin (position: 128098): ' +
    '(while reading from part /data/store/8f5/20260101_1_6_1/ in table weir.lines): While executing'
  const cause = new ClickHouseError({ message, code: '40', type: 'CHECKSUM_DOESNT_MATCH' })
  const failure = auditFailure(cause)
  expect(failure).toMatchObject({ code: 'STORE_DAMAGED', retriable: false, cause })
  expect(failure.message).toMatch(
    /^\/data\/store\/8f5\/20260101_1_6_1\/line\.bin is damaged: .*restore the newest backup/,
  )
  expect(failure.message).toMatch(/The engine says: Checksum doesn't match$/)
  expect(auditFailure(engineError('246')).message).toMatch(/^a file of the store is damaged: /)
  expect(auditFailure(engineError('241'))).toMatchObject({ code: 'UNAVAILABLE', message: 'message' })
})

describe('a statement that met a damaged part', () => {
  const part = '/data/store/store/8f5/8f563a5b-40df-4a9e-831f-fd990a27c848/20260101_1_6_1'
  const place = `(while reading from part ${part}/ in table weir.lines (8f563a5b) located on disk default)`
  const failureOf = (code: string, message: string) =>
    statementFailure(new ClickHouseError({ message, code, type: 'X' }))
  const damaged = { table: 'lines', part: '20260101_1_6_1', state: 'unreadable' }

  test.each([
    ['40', `Checksum doesn't match: While reading or decompressing ${part}/data.bin (position: 3): ${place}`],
    [
      '33',
      `Cannot read all data. Bytes read: 5: While reading or decompressing ${part}/line.bin (position: 3): ${place}`,
    ],
    [
      '33',
      `Cannot read all data in MergeTreeReaderCompact. Rows read: 0: (while reading column t): ${place}`,
    ],
    ['32', `Attempt to read after eof: ${place}`],
    [
      '432',
      `Unknown codec family code: 7: While reading or decompressing ${part}/usage.proj/data.bin: ${place}`,
    ],
    ['74', `Cannot read from file: , errno: 5, strerror: Input/output error: ${place}`],
    ['76', `Cannot open file ${part}/data.bin: , errno: 2, strerror: No such file or directory: ${place}`],
    ['107', `File ${part}/data.bin doesn't exist: ${place}`],
    ['246', `Corrupted data: ${place}`],
  ])('with %s names the part: %s', (code, message) => {
    for (const failure of [
      failureOf(code, message),
      insertFailure(new ClickHouseError({ message, code, type: 'X' })),
    ]) {
      expect(failure).toMatchObject({ code: 'STORE_DAMAGED', retriable: false, damaged })
      expect(failure.message).toMatch(
        /^Part 20260101_1_6_1 of the table lines is damaged .* Restore a backup/,
      )
    }
  })

  test('reports it in the same way for a streamed answer', () => {
    const error = new Error(
      `Code: 40. DB::Exception: Checksum doesn't match: ${place}. (CHECKSUM_DOESNT_MATCH)`,
    )
    expect(statementFailure(error)).toMatchObject({ code: 'STORE_DAMAGED', damaged })
  })

  test('reports it even if the engine does not name a part', () => {
    expect(failureOf('40', "Checksum doesn't match")).toMatchObject({
      code: 'STORE_DAMAGED',
      damaged: { part: '' },
    })
  })

  test.each([
    ['33', 'Cannot read all data. Bytes read: 5: While executing Native'],
    ['241', `Memory limit exceeded: ${place}`],
    ['394', `Query was cancelled: ${place}`],
    ['76', `Cannot open file ${part}/data.bin: , errno: 24, strerror: Too many open files: ${place}`],
    ['117', 'Incorrect data: a text that somebody has sent /var/store/20260101_1_6_1x'],
  ])('is not recognised with %s: %s', (code, message) => {
    expect(failureOf(code, message).code).not.toBe('STORE_DAMAGED')
  })
})
