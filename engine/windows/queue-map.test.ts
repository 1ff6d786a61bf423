import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QueueMap } from './queue-map.ts'

test('the first key is the one that was added before all others, whatever is added and deleted', () => {
  // 0 reads the first key, 1 deletes it, and 2 deletes the key in the middle; all other numbers add a key.
  const step = fc.integer({ min: 0, max: 6 })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), steps => {
      const map = new QueueMap<number, number>()
      const keys: number[] = []
      for (const [key, action] of steps.entries()) {
        const place = action === 1 ? 0 : keys.length >> 1
        if (action === 0) {
          expect(map.first).toBe(keys[0])
        } else if (action > 2) {
          map.add(key, -key)
          keys.push(key)
        } else if (keys.length > 0) {
          map.delete(keys[place] as number)
          keys.splice(place, 1)
        }
      }
      expect(map.first).toBe(keys[0])
      expect([...map.entries()]).toEqual(keys.map(key => [key, -key]))
    }),
    { numRuns: 300 },
  )
})
