import { expect, test } from 'vitest'
import { assertLogin } from './login.ts'

const LOGIN = { user: 'weir', password: 'a:b €' }

function basic(text: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

test.each([
  ['Basic', basic('weir:a:b €')],
  ['Basic in small letters', { authorization: basic('weir:a:b €').authorization.replace('Basic', 'basic') }],
  ["ClickHouse's headers", { 'x-clickhouse-user': 'weir', 'x-clickhouse-key': 'a:b €' }],
])('the user is accepted by %s', (_, headers) => {
  expect(() => assertLogin(headers, LOGIN)).not.toThrow()
})

test.each([
  ['another password', basic('weir:a')],
  ['another user', basic('default:a:b €')],
  ['a user without a password', basic('weir')],
  ['nobody', {}],
  [
    'a right pair of headers beside a wrong one of Basic',
    { ...basic('weir:'), 'x-clickhouse-user': 'weir', 'x-clickhouse-key': 'a:b €' },
  ],
  ['parts that are the same only when joined', { 'x-clickhouse-user': 'weira', 'x-clickhouse-key': ':b €' }],
])('%s is refused in the words of the engine', (_, headers) => {
  expect(() => assertLogin(headers, LOGIN)).toThrow(
    /^Code: 516\. DB::Exception: .*\(AUTHENTICATION_FAILED\)$/,
  )
})

test('without a password the user of the engine needs none', () => {
  const login = { user: 'default', password: '' }
  for (const headers of [{}, basic('default:')]) expect(() => assertLogin(headers, login)).not.toThrow()
  expect(() => assertLogin(basic('default:x'), login)).toThrow('516')
})
