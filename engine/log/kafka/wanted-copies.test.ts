import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import { silentLogger } from '../../logger.ts'
import { WantedCopies } from './wanted-copies.ts'

/** @param brokers number of brokers at each question; the last one stays */
function wanted(brokers: readonly number[], asked?: number) {
  const clock = manualClock()
  const warnings: string[] = []
  let questions = 0
  const admin = {
    describeCluster: async () => {
      const count = brokers[Math.min(questions++, brokers.length - 1)] as number
      const present = Array.from({ length: count }, (_, nodeId) => ({ nodeId, host: 'b', port: 9092 }))
      return { brokers: present, controller: 0, clusterId: 'c' }
    },
  }
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) }
  const copies = new WantedCopies({ admin, clock, logger, asked })
  return { copies, clock, warnings, questions: () => questions }
}

test('a topic has three copies, although the third broker starts later than the first', async () => {
  const { copies, clock, warnings } = wanted([1, 1, 2, 2, 3])
  expect(await clock.advanceUntil(copies.forCreation())).toBe(3)
  expect(warnings).toEqual([])
})

test('a topic has as many copies as there are brokers when no more start, and a message says so', async () => {
  const { copies, clock, warnings } = wanted([2])
  expect(await clock.advanceUntil(copies.forCreation())).toBe(2)
  expect(warnings).toEqual([expect.stringContaining('set KAFKA_REPLICATION to the number of copies')])
})

test('the number of the operator is used without a question', async () => {
  const { copies, questions } = wanted([3], 2)
  expect(await copies.forCreation()).toBe(2)
  expect(questions()).toBe(0)
})

test('a topic with fewer copies than the operator wants is refused, with the remedy', async () => {
  const topic = { topic: 't', copies: 1, inSync: 1 }
  await expect(wanted([3], 3).copies.check(topic)).rejects.toThrow(
    'topic t has 1 copy of each record where 3 are wanted; give t 3 copies of each record with ' +
      'kafka-reassign-partitions.sh and set its min.insync.replicas=2 with kafka-configs.sh, or set ' +
      'KAFKA_REPLICATION to the intended number (it is 3)',
  )
  await wanted([3], 1).copies.check(topic)
})

test('a topic is reported that has fewer copies than brokers, or whose records count with one copy', async () => {
  const { copies, warnings } = wanted([3])
  await copies.check({ topic: 'few', copies: 2, inSync: 1 })
  await copies.check({ topic: 'loose', copies: 3, inSync: 1 })
  await copies.check({ topic: 'good', copies: 3, inSync: 2 })
  expect(warnings).toEqual([
    expect.stringContaining('LINES CAN BE LOST: topic few has 2 copies of each record where 3 are wanted'),
    expect.stringContaining('LINES CAN BE LOST: topic loose has min.insync.replicas=1'),
  ])
})
