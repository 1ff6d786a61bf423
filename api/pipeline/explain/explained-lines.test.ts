import { expect, test } from 'vitest'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import type { ExplainedStep } from '../../../engine/replay/event-paths.ts'
import type { Delivery } from '../../../engine/replay/explain/handed-deliveries.ts'
import { MovedEvents } from '../../../engine/replay/moved-events.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { sentEvent } from '../../../test/support/sent-lines.ts'
import { node } from '../../../test/support/world.ts'
import { accountExplainedLine, explainedLine } from './explained-lines.ts'

/** Members of a line that is nowhere. */
const NOWHERE = {
  index: 0,
  isRepeat: false,
  droppedFor: undefined,
  stored: [],
  gathered: [],
  handed: [],
  excluded: [],
}

/** The summary of a line whose last step was at a node. */
function summaryAt(
  type: string,
  config: JsonObject,
  outcome: ExplainedStep['outcome'],
  kind: 'transform' | 'sink' = 'transform',
  delivery?: Delivery,
): string {
  const event = sentEvent({ line: 'text' })
  const nodes = [node(kind, 'last', type, [], config)]
  const step = { node: 'last', outcome, outputs: [], event, reason: undefined, sentTo: undefined, errors: [] }
  const document = { id: 'p', accountId: 'a', title: 'P', revision: 1, nodes }
  const line = {
    ...NOWHERE,
    event,
    handed: [{ pipeline: 'p', node: 'last', position: { offset: 0n, row: 0 }, event }],
    pipelines: [{ id: 'p', version: 1, document, isPaused: false, isDropped: false, steps: [step] }],
  }
  const record = { offset: 0n, appendTimeMs: 0, timeMs: 0, lines: [line] }
  const moved = new MovedEvents({} as never, 'a', async () => {})
  const followed = { catalogue: CATALOGUE, account: 'a', record, partition: 0, line, moved }
  return explainedLine({ ...followed, handed: { of: () => delivery } }, 'p').summary
}

test('a span that is held waits for its root, and does not continue in the result of a window', () => {
  const rules = { sample_type: 'tail', conditionals: [] }
  expect(summaryAt('trace-sampling', rules, 'held')).toBe(
    'Revision 1: is held at trace-sampling last, and waits for the root of its trace, with which it is kept or dropped.',
  )
  expect(summaryAt('reduce', {}, 'held')).toBe(
    'Revision 1: began a window at reduce last, and continues in the result of that window.',
  )
  expect(summaryAt('reduce', {}, 'merged')).toBe(
    'Revision 1: was merged with others at reduce last, and continues in the result of that window.',
  )
})

test('a line that a paused pipeline dropped is not said to have been left alone', () => {
  const told = (isDropped: boolean) => {
    const event = sentEvent({ line: 'text' })
    const document = { id: 'p', accountId: 'a', title: 'P', revision: 1, nodes: [] }
    const pipelines = [{ id: 'p', version: 1, document, isPaused: true, isDropped, steps: [] }]
    const line = { ...NOWHERE, event, pipelines }
    const record = { offset: 0n, appendTimeMs: 0, timeMs: 0, lines: [line] }
    const moved = new MovedEvents({} as never, 'a', async () => {})
    const handed = { of: () => undefined }
    const followed = { catalogue: CATALOGUE, account: 'a', record, partition: 0, line, moved, handed }
    const ofAccount = accountExplainedLine(followed)
    return [explainedLine(followed, 'p').summary, ofAccount.summary, ofAccount.pipelines[0]?.dropped_by_pause]
  }
  expect(told(true)).toEqual([
    'The pipeline was paused, and dropped the line.',
    '"P", revision 1: paused, and dropped the line.',
    true,
  ])
  expect(told(false)).toEqual([
    'The pipeline was paused, so it left the line alone.',
    '"P", revision 1: paused, so it left the line alone.',
    undefined,
  ])
})

test('an event that a destination sends was handed over', () => {
  expect(summaryAt('http', {}, 'passed', 'sink')).toBe('Revision 1: handed over to http last.')
  const told = (delivery: Delivery) => summaryAt('http', {}, 'passed', 'sink', delivery)
  const batch = { id: 'b', number: 3 }
  const answered = { batch, attempts: 1, atMs: 0 }
  const failure = { code: 'E_DELIVERY_FAILED', field: null, message: 'The server answered 400', status: 400 }
  expect([
    told({ state: 'delivered', ...answered, failure: undefined }),
    told({ state: 'given up', ...answered, failure }),
    told({ state: 'waiting', batch }),
    told({ state: 'waiting', batch: undefined }),
    told({ state: 'dropped' }),
    told({ state: 'not kept' }),
  ]).toEqual([
    'Revision 1: handed over to http last, delivered in batch b at 1970-01-01T00:00:00.000Z.',
    'Revision 1: handed over to http last, given up with batch b at 1970-01-01T00:00:00.000Z: E_DELIVERY_FAILED: The server answered 400.',
    'Revision 1: handed over to http last, where it waits in batch b.',
    'Revision 1: handed over to http last, where it waits.',
    'Revision 1: handed over to http last, and dropped when its pipeline was deleted.',
    'Revision 1: handed over to http last; the log that would show its delivery is not kept.',
  ])
  expect(summaryAt('blackhole', {}, 'passed', 'sink')).toBe('Revision 1: nothing left it.')
})
