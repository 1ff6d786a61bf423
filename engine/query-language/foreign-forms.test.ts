import { expect, test } from 'vitest'
import { foreignForm } from './foreign-forms.ts'

test.each([
  ['/tim.*out/', '/tim.*out/', 'write tim'],
  ['app:api /^\\d+$/i', '/^\\d+$/i', 'begin with it'],
  ['client && timeout', '&&', 'leave it out'],
  ['client || proxy', '||', 'write OR'],
  ['(ms>12)', 'ms>12', 'write ms:>12'],
  ['a.b<=-1.5', 'a.b<=-1.5', 'write a.b:<=-1.5'],
  ['status!=200', 'status!=200', 'write -status:200'],
  ['ms:[1 TO 5]', 'ms:[1 TO 5]', 'write ms:(>=1 <=5)'],
  ['ms:[1 TO *]', 'ms:[1 TO *]', 'write ms:(>=1)'],
  ['[1 TO 5]', '[1 TO 5]', 'write name:(>=1 <=5)'],
])('%j has the foreign form %j: %s', (query, form, remedy) => {
  expect(foreignForm(query)).toEqual({ form, remedy: expect.stringContaining(remedy) })
})

test.each([
  '',
  'timeout -upstream',
  '"client && timeout"',
  '"ms>12"',
  "'/tim.*out/'",
  'line:"ms>12"',
  '/var/log/',
  '/api/v1.2/orders/',
  'ms:>12',
  'ms:(>=1 <=5)',
  'level:[warning,error]',
  'level:[a, b TO c]',
  'status=404',
  'a->b',
  'Map<String>',
  'x&&y',
])('%j has no foreign form', query => {
  expect(foreignForm(query)).toBeUndefined()
})

test('a quote within a word does not begin a phrase', () => {
  expect(foreignForm("don't && won't")).toMatchObject({ form: '&&' })
})
