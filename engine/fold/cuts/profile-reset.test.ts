import { expect, test } from 'vitest'
import { KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import { SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'

const PROFILING = [
  SOURCE,
  node('transform', 'profile', 'data-profiler', ['source'], {
    ...{ app_fields: ['.app'], host_fields: ['.host'], level_fields: ['.level'], line_fields: ['.line'] },
  }),
  node('sink', 'store', 'log-analysis', ['profile']),
]
const RESET = { accountId: SAMPLE_ACCOUNT, pipeline: 'p', node: 'profile' }

function profiledEvents({ parts }: LooseFold): number | undefined {
  const memory = parts.accounts.of(SAMPLE_ACCOUNT).memoryOf('p', 'profile')
  return memory?.kind.profile?.show(memory.value, 0).events
}

test('the profile of a node is empty behind the cut, and every event passes', () => {
  const fold = new LooseFold()
  fold.deploy(PROFILING)
  fold.run(['a', 'b'])
  expect(profiledEvents(fold)).toBe(2)
  fold.apply('profile-reset', 'p/profile', RESET)
  expect(profiledEvents(fold)).toBe(0)
  fold.run(['c'])
  expect(profiledEvents(fold)).toBe(1)
  expect(fold.stored()).toEqual(['a', 'b', 'c'])
})

test('a cut about a node that is not there, or has no profile, changes nothing', () => {
  const fold = new LooseFold()
  fold.deploy(PROFILING)
  fold.run(['a'])
  fold.apply('profile-reset', 'p/other', { ...RESET, node: 'other' })
  fold.apply('profile-reset', 'q/profile', { ...RESET, pipeline: 'q' })
  fold.apply('profile-reset', 'p/store', { ...RESET, node: 'store' })
  expect(profiledEvents(fold)).toBe(1)
})

test('the same cut empties a profile only once, also where it arrives again from another partition', () => {
  const fold = new LooseFold({ topic: KEYED_TOPIC })
  fold.deploy(PROFILING)
  const cut = fold.apply('profile-reset', 'p/profile', RESET)
  fold.run(['a'])
  expect(fold.do(fold.parts.cuts.applyForwarded(cut))).toBe(false)
  expect(profiledEvents(fold)).toBe(1)
  expect([...fold.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toContainEqual(cut)
  const restored = fold.restored()
  expect([...restored.parts.cuts.ofAccount(SAMPLE_ACCOUNT)]).toContainEqual(cut)
  expect(restored.do(restored.parts.cuts.applyForwarded(cut))).toBe(false)
})
