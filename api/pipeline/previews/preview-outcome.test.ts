import { expect, test } from 'vitest'
import type { PreviewResult } from '../../../engine/replay/preview/preview.ts'
import { outcomeOf } from './preview-outcome.ts'

test('a revision that was in force before the period is shown from its beginning, and an end as no revision', () => {
  const fromMs = Date.parse('2026-01-01T00:00:00Z')
  const result: PreviewResult = {
    ...{ deployed: new Map(), draft: new Map(), samples: [] },
    ...{ differing: 0, underWay: 0, isOrderAssumed: false },
    inForce: [
      { fromMs: fromMs - 5_000, revision: 3, isPaused: false },
      { fromMs: fromMs + 60_000, revision: 3, isPaused: true },
      { fromMs: fromMs + 120_000, revision: undefined, isPaused: false },
    ],
  }
  const document = { id: 'p', accountId: 'a', title: 'p', revision: 0, nodes: [] }
  const { in_force: inForce } = outcomeOf({ document, deployedNodes: [], names: new Map(), fromMs }, result)
  expect(inForce).toEqual([
    { from: '2026-01-01T00:00:00.000Z', revision: 3, paused: false },
    { from: '2026-01-01T00:01:00.000Z', revision: 3, paused: true },
    { from: '2026-01-01T00:02:00.000Z', revision: null, paused: false },
  ])
})
