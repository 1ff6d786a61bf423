import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignPartitions, type GroupMember } from './assign-partitions.ts'

test('a first member has all partitions, and a second one gets half once the first has released it', () => {
  expect([...assignPartitions(4, [{ id: 'a', held: [] }])]).toEqual([['a', [0, 1, 2, 3]]])
  const first = assignPartitions(4, [
    { id: 'a', held: [0, 1, 2, 3] },
    { id: 'b', held: [] },
  ])
  expect(first.get('a')).toEqual([0, 1])
  expect(first.get('b')).toEqual([])
  const second = assignPartitions(4, [
    { id: 'a', held: [0, 1] },
    { id: 'b', held: [] },
  ])
  expect(second.get('b')).toEqual([2, 3])
})

test('a partition that two members claim is assigned to neither until one has released it', () => {
  const assigned = assignPartitions(1, [
    { id: 'a', held: [0] },
    { id: 'b', held: [0] },
  ])
  expect([...assigned.values()].flat()).toEqual([])
})

const groups = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 }))
  .chain(([partitions, members]) =>
    fc.tuple(
      fc.constant(partitions),
      fc.constant(members),
      fc.array(fc.integer({ min: -1, max: members - 1 }), { minLength: partitions, maxLength: partitions }),
    ),
  )
  .map(([partitions, count, holders]) => ({
    partitions,
    members: Array.from(
      { length: count },
      (_, number): GroupMember => ({
        id: `member-${number}`,
        held: holders.flatMap((holder, partition) => (holder === number ? [partition] : [])),
      }),
    ),
  }))

test('no round assigns a partition to two members, or to one while another has it, and after two rounds all are shared evenly', () => {
  fc.assert(
    fc.property(groups, ({ partitions, members }) => {
      const first = assignPartitions(partitions, members)
      for (const { id, held } of members)
        for (const partition of held)
          for (const [other, assigned] of first)
            expect(other !== id && assigned.includes(partition)).toBe(false)
      const later = members.map(({ id }) => ({ id, held: first.get(id) ?? [] }))
      const second = assignPartitions(partitions, later)
      const all = [...second.values()].flat().sort((a, b) => a - b)
      expect(all).toEqual(Array.from({ length: partitions }, (_, partition) => partition))
      const sizes = [...second.values()].map(assigned => assigned.length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      // A third round moves nothing.
      const third = assignPartitions(
        partitions,
        members.map(({ id }) => ({ id, held: second.get(id) ?? [] })),
      )
      expect([...third].sort()).toEqual([...second].sort())
    }),
  )
})
