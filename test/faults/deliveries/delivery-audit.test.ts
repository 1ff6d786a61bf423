import { expect, test } from 'vitest'
import { auditDelivery, type DeliveryFacts } from './delivery-audit.ts'

const body = (key: string, ...lines: string[]) => ({ key, lines, documents: [] })

const CASES: readonly (readonly [string, DeliveryFacts, ReturnType<typeof auditDelivery>])[] = [
  [
    'repeats of a request',
    {
      acknowledged: ['a 1', 'a 2'],
      taken: [body('x', 'a 1', 'a 2'), body('x', 'a 1', 'a 2')],
      knows: 'requests',
    },
    { lost: [], doubled: [], 'out of order': [] },
  ],
  [
    'a loss, a line in two requests, and a line behind a later one',
    {
      acknowledged: ['a 1', 'a 2', 'a 3', 'a 4'],
      taken: [body('x', 'a 2', 'a 3'), body('y', 'a 3', 'a 1')],
      knows: 'requests',
    },
    { lost: ['a 4'], doubled: ['a 3'], 'out of order': ['a 1'] },
  ],
  [
    'another body under the same key',
    { acknowledged: ['a 1'], taken: [body('x', 'a 1'), body('x', 'a 1', 'a 2')], knows: 'requests' },
    { lost: [], doubled: ['a 1', 'a 2'], 'out of order': [] },
  ],
  [
    'a line in two documents',
    { acknowledged: ['a 1'], taken: [body('', 'a 1'), body('', 'a 1')], knows: 'documents' },
    { lost: [], 'doubled for good': ['a 1'], 'out of order': [] },
  ],
  [
    'an object that replaces itself, and a line in two objects',
    {
      acknowledged: ['a 1'],
      taken: [body('/o', 'a 1'), body('/o', 'a 1'), body('/p', 'a 1')],
      knows: 'objects',
    },
    { lost: [], 'doubled for good': ['a 1'], 'out of order': [] },
  ],
]

test.each(CASES)('the audit of deliveries knows %s', (_title, facts, findings) => {
  expect(auditDelivery(facts)).toEqual(findings)
})
