import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newDice } from '../support/dice.ts'
import { diskFault } from './disk-faults.ts'
import type { Site } from './site.ts'
import type { SmallDisk } from './small-disk.ts'

/** A program whose start on a full disk ends when there is room again: the real one does so at no instant of our choice. */
function world(lastWords: string) {
  const released = Promise.withResolvers<void>()
  const starts: string[] = []
  const weir = {
    output: '',
    running: true,
    end: async () => {
      weir.running = false
    },
    start: async () => {
      const isFirst = starts.length === 0
      starts.push(isFirst ? 'on the full disk' : 'again')
      weir.running = true
      if (!isFirst) return
      await released.promise
      await delay(50)
      weir.output += lastWords
      weir.running = false
      throw new Error('ended with 1 before it was ready')
    },
  }
  const disk = { squeeze() {}, release: () => released.resolve() }
  const site = { weir, shipper: { newestAcknowledged: [] } }
  const fault = diskFault(newDice(1), disk as unknown as SmallDisk, true)
  return { starts, weir, inject: () => fault.inject(site as unknown as Site) }
}

test('a start that a full disk refused is repeated once there is room', async () => {
  const { starts, weir, inject } = world('weir: the log has no room\n')
  expect((await inject()).what).toContain('the start on it was refused')
  expect(starts).toEqual(['on the full disk', 'again'])
  expect(weir.running).toBe(true)
})

test('a start on a full disk that ends without a sentence is a finding, even then', async () => {
  const { starts, inject } = world('TypeError: x\n')
  await expect(inject()).rejects.toThrow('a start on a full disk ended without a sentence:\nTypeError: x')
  expect(starts).toEqual(['on the full disk'])
})
