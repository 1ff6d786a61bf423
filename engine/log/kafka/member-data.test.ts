import { expect, test } from 'vitest'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { decodeLowest, decodeMemberData, encodeLowest, encodeMemberData } from './member-data.ts'

test('a member announces its partitions and the behaviour of its program', () => {
  const member = { held: [0, 7, 65_535], behaviour: BEHAVIOUR }
  expect(decodeMemberData(encodeMemberData(member))).toEqual(member)
})

test('a program of the tenth behaviour reads the partitions of a newer one, and announces its own alone', () => {
  const sent = JSON.parse(encodeMemberData({ held: [1, 2], behaviour: BEHAVIOUR }).toString()) as number[]
  expect(sent.filter(partition => partition < 65_536)).toEqual([1, 2])
  const older = { held: [3], behaviour: TENTH_BEHAVIOUR }
  expect(encodeMemberData(older).toString()).toBe('[3]')
  expect(decodeMemberData(Buffer.from('[3]'))).toEqual(older)
  expect(decodeMemberData(Buffer.alloc(0))).toEqual({ held: [], behaviour: TENTH_BEHAVIOUR })
})

test('the lowest behaviour of all members is in force, and an older program that distributes says nothing', () => {
  const newer = { held: [], behaviour: BEHAVIOUR }
  const older = { held: [], behaviour: TENTH_BEHAVIOUR }
  expect(decodeLowest(encodeLowest([newer, newer]))).toBe(BEHAVIOUR)
  expect(decodeLowest(encodeLowest([newer, older, newer]))).toBe(TENTH_BEHAVIOUR)
  expect(decodeLowest(Buffer.alloc(0))).toBe(TENTH_BEHAVIOUR)
})
