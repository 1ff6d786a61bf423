import { expect, test } from 'vitest'
import { AUDITED_KINDS } from '../../api/audit/audit-request.ts'
import { KINDS } from '../../console/src/audit/texts.ts'

test('the console has a name for every kind of the audit, and for nothing else', () => {
  expect(Object.keys(KINDS).toSorted()).toEqual(AUDITED_KINDS.toSorted())
  expect(new Set(Object.values(KINDS)).size).toBe(AUDITED_KINDS.length)
})
