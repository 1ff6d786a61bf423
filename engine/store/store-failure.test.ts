import { ClickHouseError } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { insertFailure, statementFailure } from './store-failure.ts'

const engineError = (code: string) => new ClickHouseError({ message: 'message', code, type: 'TYPE' })
const systemError = (code: string) => Object.assign(new Error('message'), { code })

test.each([
  ['another owner', engineError('395'), 'FENCED', false],
  ['a statement that is wrong', engineError('62'), 'STATEMENT_FAILED', false],
  ['too many parts', engineError('252'), 'UNAVAILABLE', true],
  ['nobody listens', systemError('ECONNREFUSED'), 'UNAVAILABLE', true],
  ['a connection that broke', systemError('ECONNRESET'), 'OUTCOME_UNKNOWN', true],
  ['a time-out', new Error('Timeout error.'), 'OUTCOME_UNKNOWN', true],
  ['a statement that was ended', engineError('394'), 'OUTCOME_UNKNOWN', true],
  ['an error that nobody has heard of', engineError('99999'), 'OUTCOME_UNKNOWN', true],
])('an insert and %s', (_, error, code, retriable) => {
  expect(insertFailure(error)).toMatchObject({ code, retriable, cause: error })
})

test('a claim is fenced by the words of its own statement, not by any other check of a statement', () => {
  const fenced = new Error(
    'Code: 395. DB::Exception: fenced: another owner has taken the partition: while executing',
  )
  expect(statementFailure(fenced).code).toBe('FENCED')
  expect(statementFailure(engineError('395')).code).toBe('STATEMENT_FAILED')
})

test('a search that cannot reach the engine may be tried again, one that is wrong may not', () => {
  expect(statementFailure(systemError('ECONNRESET'))).toMatchObject({ code: 'UNAVAILABLE', retriable: true })
  expect(statementFailure(engineError('47'))).toMatchObject({ code: 'STATEMENT_FAILED', retriable: false })
  expect(statementFailure(new TypeError('parameter a is not given')).code).toBe('STATEMENT_FAILED')
})
