import { manualClock } from '../../engine/clock/manual-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'

/**
 * A process that appends to the log in the folder it is given until it is killed, from 16 writers at once. It
 * prints a line for each acknowledged record: offset and value. Some values are larger than a page.
 */
const [directory = '', life = ''] = process.argv.slice(2)
const log = await openSegmentLog({
  directory,
  clock: manualClock(),
  entropy: systemEntropy(),
  maxBytes: 2 ** 30,
  segmentBytes: 200_000,
  minFreeDiskBytes: 0,
})
const topic = await log.topic('weir.test', 1)

async function write(writer: number): Promise<never> {
  for (let number = 0; ; number++) {
    const name = `${life}.${writer}.${number}`
    const value = Buffer.from(`${name} ${'x'.repeat((number * 997) % 9000)}`)
    const { offset } = await topic.append(0, { value, producer: null, priority: 'ingest' })
    process.stdout.write(`${offset} ${name}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))
