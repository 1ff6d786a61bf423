import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from './memory-log.ts'
import { recordsBetween } from './records-between.ts'

const RECORDS = 5n

test('the records of a range are those from its first offset on, below the next one and the end of the log', async () => {
  const log = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  const topic = await log.topic('weir.test', 1)
  for (let number = 0n; number < RECORDS; number++)
    await topic.append(0, { value: Buffer.from(`${number}`), producer: null, priority: 'ingest' })
  for (const readBytes of [1, 1_000])
    for (let first = 0n; first <= RECORDS; first++)
      for (let next = first; next <= RECORDS + 2n; next++) {
        const records = await Array.fromAsync(recordsBetween(topic, 0, { first, next }, readBytes))
        const end = next < RECORDS ? next : RECORDS
        expect(records.map(({ offset }) => offset)).toEqual(
          Array.from({ length: Number(end - first) }, (_, index) => first + BigInt(index)),
        )
      }
})
