import { expect, test } from 'vitest'
import { holderOfWords, type StateHolder, wordsOfHolder } from './state-holder.ts'

const WORDS: readonly (readonly [string, StateHolder])[] = [
  ['pending 1795000020000', { 'weir.PendingMinute': { startMs: 1_795_000_020_000 } }],
  ['names a1', { 'weir.AccountPart': { account: 'a1', part: 'names' } }],
  ['keys a1', { 'weir.AccountPart': { account: 'a1', part: 'keys' } }],
  ['expressions a1', { 'weir.AccountPart': { account: 'a1', part: 'expressions' } }],
  ['spread a1', { 'weir.AccountPart': { account: 'a1', part: 'spread' } }],
  ['dead-letters a1', { 'weir.AccountPart': { account: 'a1', part: 'deadLetters' } }],
  [
    'revision a1 p 3 1795000000000',
    { 'weir.RetiringRevision': { account: 'a1', pipeline: 'p', version: 3, replacedMs: 1_795_000_000_000 } },
  ],
  ['node a1 p limit', { 'weir.NodeMemory': { account: 'a1', pipeline: 'p', node: 'limit', version: null } }],
  ['node a1 p limit 2', { 'weir.NodeMemory': { account: 'a1', pipeline: 'p', node: 'limit', version: 2 } }],
]

test.each(WORDS)('"%s" names the same state in words and as a record', (words, holder) => {
  expect(holderOfWords(words)).toEqual(holder)
  expect(wordsOfHolder(holder)).toBe(words)
})

test('names that no program has written have no meaning', () => {
  expect(holderOfWords('other a1')).toBeUndefined()
})
