import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BatchRun } from '../../../schemas/log/lanes-checkpoint.ts'
import { OUTBOX, OutboxLog, REFUSED } from '../../../test/support/outbox-log.ts'
import { ACCOUNT, LANE_RULES } from '../../../test/support/outgoing.ts'
import type { LogRecord } from '../../log/log.ts'
import { DeliveryFold } from './delivery-fold.ts'
import type { AnsweredBatch, Lane } from './lane.ts'

const NODES = ['one', 'two']

type Action =
  | {
      readonly kind: 'hand'
      readonly node: number
      readonly version: number
      readonly lines: readonly string[]
    }
  | { readonly kind: 'repeat'; readonly record: number }
  | { readonly kind: 'report'; readonly node: number; readonly fails: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'owner' }

const node = fc.nat({ max: NODES.length - 1 })
const line = fc
  .tuple(fc.constantFrom('x', 'y'), fc.stringMatching(/^[a-z]{0,9}$/))
  .map(words => words.join(' '))
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('hand' as const),
      node,
      version: fc.nat({ max: 1 }),
      lines: fc.array(line, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), record: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('report' as const), node, fails: fc.nat({ max: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat({ max: 1_500 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('owner' as const) }) },
)

/** A log on which some of the closed batches have reports. */
function logOf(actions: readonly Action[]): OutboxLog {
  const log = new OutboxLog()
  for (const each of actions) {
    if (each.kind === 'hand') {
      const options = { maxBytes: 20, splits: each.node === 1 }
      log.hand(each.lines, { node: NODES[each.node] as string, version: each.version, options })
    } else if (each.kind === 'repeat' && log.records.length > 0) {
      const { value } = log.records[each.record % log.records.length] as LogRecord
      if (value.readUInt32BE(1) === 1_000_000_012) log.append(value)
    } else if (each.kind === 'report') {
      const lane = log.fold.lane(ACCOUNT, 'p', NODES[each.node] as string)
      if (lane === undefined) continue
      log.catchUp(lane)
      const count = Math.min(each.fails, lane.batch?.events ?? 0)
      if (lane.batch !== undefined) log.report({ failures: count === 0 ? [] : [{ ...REFUSED, count }] }, lane)
    } else if (each.kind === 'time') {
      log.nowMs += each.ms
      log.control({ 'weir.Tick': { deadlineMs: log.nowMs } })
    } else if (each.kind === 'owner') log.control({ 'weir.Owner': { worker: 'w' } })
  }
  return log
}

/** Applies records to a fold. The lanes that lag read as often as `isEager` says. */
function applied(fold: DeliveryFold, all: readonly LogRecord[], isEager: () => boolean): AnsweredBatch[] {
  const answered: AnsweredBatch[] = []
  const advance = (lane: Lane) => fold.advance(lane, all[Number(lane.cursor?.nextOffset)] as LogRecord)
  for (const record of all.slice(Number(fold.nextOffset))) {
    fold.apply(record)
    for (let lane = fold.behindReports; lane !== undefined; lane = fold.behindReports) advance(lane)
    for (const lane of fold.lanes) while (fold.lags(lane) && isEager()) advance(lane)
    answered.push(...fold.takeAnswered())
  }
  for (const lane of fold.lanes) while (fold.lags(lane)) advance(lane)
  answered.push(...fold.takeAnswered())
  return answered
}

const logs = fc.array(action, { maxLength: 40, size: 'max' }).map(logOf)
const always = () => true

test('a log gives the same batches and the same state, whenever its lanes read', () => {
  fc.assert(
    fc.property(logs, fc.array(fc.boolean(), { maxLength: 400, size: 'max' }), ({ records }, choices) => {
      const eager = new DeliveryFold(LANE_RULES, OUTBOX)
      const lazy = new DeliveryFold(LANE_RULES, OUTBOX)
      const batches = applied(eager, records, always)
      expect(applied(lazy, records, () => choices.pop() ?? false)).toEqual(batches)
      expect(lazy.checkpoint()).toEqual(eager.checkpoint())
    }),
  )
})

test('a fold that continues from a checkpoint anywhere gives the rest of the batches, and the same state', () => {
  fc.assert(
    fc.property(logs, fc.nat(), ({ records }, cut) => {
      const whole = new DeliveryFold(LANE_RULES, OUTBOX)
      const batches = applied(whole, records, always)
      const begun = new DeliveryFold(LANE_RULES, OUTBOX)
      const first = applied(begun, records.slice(0, cut % (records.length + 1)), () => false)
      const restored = DeliveryFold.restored(LANE_RULES, OUTBOX, begun.checkpoint())
      expect([...first, ...applied(restored, records, always)]).toEqual(batches)
      expect(restored.checkpoint()).toEqual(whole.checkpoint())
    }),
  )
})

test('each event is in one batch, in the order of its split, and counts once', () => {
  fc.assert(
    fc.property(logs, ({ records }) => {
      const fold = new DeliveryFold(LANE_RULES, OUTBOX)
      const answered = applied(fold, records, always)
      for (const lane of fold.lanes) {
        const { handedOver, delivered, givenUp, dropped } = lane.counts
        expect(handedOver).toBe(delivered + givenUp + dropped + lane.waiting)
        const held = lane.cursor?.heldEvents ?? 0
        // Events behind the batch that waits are not read yet.
        expect(held <= lane.waiting && (lane.isBlocked || held === lane.waiting)).toBe(true)
      }
      const bySplit = Map.groupBy(answered, ({ lane, batch }) => `${lane.node} ${batch.split}`)
      for (const batches of bySplit.values()) {
        const places = batches.flatMap(({ batch }) => batch.stretches.flatMap(placesOf))
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b))
      }
    }),
  )
})

function placesOf({ offset, row, count }: BatchRun): number[] {
  return Array.from({ length: count }, (_, step) => offset * 1_000 + row + step)
}
