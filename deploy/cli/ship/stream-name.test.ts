import { expect, test } from 'vitest'
import { manualClock } from '../../../engine/clock/manual-clock.ts'
import { timeOfStream } from '../../../engine/configuration/kinds/line-routing.ts'
import { seededEntropy } from '../../../engine/entropy/seeded-entropy.ts'
import { isWorn, newStream } from './stream-name.ts'

test('a stream contains its beginning, and is used for an hour', () => {
  const clock = manualClock(Date.UTC(2026, 0, 1))
  const entropy = seededEntropy(1)
  const stream = newStream({ clock, entropy })
  expect(stream).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(timeOfStream(stream)).toBe(clock.wallMs())
  expect(newStream({ clock, entropy })).not.toBe(stream)
  expect(isWorn(stream, clock.wallMs() + 3_600_000)).toBe(false)
  expect(isWorn(stream, clock.wallMs() + 3_600_001)).toBe(true)
  expect(isWorn('0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11', clock.wallMs())).toBe(true)
})
