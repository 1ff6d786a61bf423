import { expect, test } from 'vitest'
import { changedMembers } from './changed-members.ts'
import type { AuditEvent } from './requests.ts'

const EVENT: AuditEvent = {
  id: '1.0',
  at: '2026-03-04T00:00:00.000Z',
  actor: { id: 'a', type: 'user', email: null, name: null },
  action: 'changed',
  kind: 'pipelines',
  entity: 'p',
  name: 'Fewer lines',
  changed: ['/nodes/1/a~1b', '/title'],
  before: { nodes: [{}, { 'a/b': 1 }], title: 'Old' },
  after: { nodes: [{}, { 'a/b': 2 }] },
}

test('each changed member has its value before and after', () => {
  expect(changedMembers(EVENT)).toEqual([
    { pointer: '/nodes/1/a~1b', before: '1', after: '2' },
    { pointer: '/title', before: '"Old"', after: undefined },
  ])
})

test('what was created is shown whole', () => {
  expect(changedMembers({ ...EVENT, action: 'created', changed: [], before: null, after: { a: 1 } })).toEqual(
    [{ pointer: '', before: undefined, after: '{\n  "a": 1\n}' }],
  )
})
