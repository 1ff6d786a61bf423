import { expect, test } from 'vitest'
import { lineText, membersOf } from '../api/records.ts'
import { fieldOf, fieldText, flattened } from './record-fields.ts'

const members = membersOf(
  lineText(
    '{"_id":"1","_ts":5,"_app":"web","_tag":["a","b"],"_meta":{"n":1,"zone":{"id":"eu"}},"user":{"name":"ann"},"n":9007199254740993}',
  ),
)

test('a field has the value of the member that the query language means', () => {
  expect(
    ['app', 'tag', 'meta.n', 'meta.zone.id', 'user.name', 'n'].map(each => fieldText(members, each)),
  ).toEqual(['web', 'a, b', '1', 'eu', 'ann', '9007199254740993'])
})

test('a field that a line does not have is empty', () => {
  for (const field of ['host', 'user.name.first', 'toString', 'user.constructor', 'meta.x'])
    expect(fieldText(members, field)).toBe('')
})

test('every member has a name in the query language that leads back to it', () => {
  for (const [member, value] of flattened(members))
    if (!member.startsWith('_id') && !member.startsWith('_ts'))
      expect(fieldText(members, fieldOf(member)).split(', ').length).toBe(Array.isArray(value) ? 2 : 1)
})
