import { expect, test } from 'vitest'
import { askerOfKey, keyOfAsker } from './asker.ts'

test.each([
  ['of an enterprise', { account: 'a', enterprise: 'e' }],
  ['of no enterprise', { account: 'a', enterprise: 'a' }],
  ['of the program itself', { account: '', enterprise: '' }],
])('the key %s is read as it was written', (_, asker) => {
  expect(askerOfKey(keyOfAsker(asker))).toEqual(asker)
})
