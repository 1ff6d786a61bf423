import Type from 'typebox'
import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { compileLeaf, JUDGING_CODES } from '../../conditions/condition.ts'
import { drop, pass } from '../../event/outcome.ts'
import { joined, type Steps } from '../../steps.ts'
import { Comparison } from '../contract/config-schema.ts'
import { defineProcessor } from '../contract/define-processor.ts'

const DEFAULT_RATE = 10
const FORMAT = 1
const SNAPSHOT_BYTES = 5

/** Place of the next event in its turn of `rate` events; the first of each turn passes. */
export interface SampleTurn {
  place: number
}

/**
 * Sample: passes the first of every so many events. Events that meet `always_include` pass, and are not counted. Each partition
 * counts on its own. Rules: components, section 5.20. Our choice: another rate begins a new turn.
 */
export const sample = defineProcessor({
  type: 'sample',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Pass one of every so many events. Another rate begins anew.',
  notes: [
    'Of the events that are counted, the first passes, and then each `rate`-th after it. Each partition counts on its own, also across restarts.',
  ],
  config: Type.Object(
    {
      rate: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: 10_000,
          default: DEFAULT_RATE,
          description: 'One of how many passes',
        }),
      ),
      always_include: Type.Optional(
        Comparison({
          caseSensitiveDefault: true,
          description: 'Comparison; events that meet it pass and are not counted',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  errors: JUDGING_CODES,

  compile({ rate = DEFAULT_RATE, always_include: always }, report, meter) {
    const isIncluded = always === undefined ? undefined : compileLeaf(always, report, meter)
    return (event, state: SampleTurn) => {
      if (isIncluded?.(event)) return pass(event)
      const { place } = state
      state.place = (place + 1) % rate
      return place === 0 ? pass(event) : drop()
    }
  },

  explain({ rate = DEFAULT_RATE }) {
    // The event was counted, so the next one has the place behind it.
    return (_event, { place }: SampleTurn) => ({
      rule: 'another event of its turn passed',
      rate,
      place: place === 0 ? rate : place,
    })
  },

  state: {
    create: (): SampleTurn => ({ place: 0 }),
    advance: () => true,
    snapshot: ({ place }) => joined([turnBytes(place)]),
    *restore(bytes): Steps<SampleTurn> {
      yield
      if (bytes.length !== SNAPSHOT_BYTES || bytes[0] !== FORMAT)
        throw new RangeError('the turn of a sample in an unknown format')
      return { place: new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true) }
    },
    measure: ({ place }) => ({ place }),
    keeps: (before, after) => (before.rate ?? DEFAULT_RATE) === (after.rate ?? DEFAULT_RATE),
    placement: { by: 'partition' },
  },

  configs: [
    { sent: {}, defaults: { rate: 10 } },
    {
      sent: { rate: 678, always_include: { field: '.line', str_operator: 'contains', value: 'panic' } },
      defaults: { always_include: { negate: false, case_sensitive: true } },
    },
    {
      sent: { rate: 2, always_include: { field: '.error', str_operator: 'exists', negate: true } },
    },
  ],

  examples: [
    {
      title: 'one of three passes, and every error, which is not counted',
      config: { rate: 3, always_include: { field: '.lvl', str_operator: 'equal', value: 'err' } },
      steps: [
        { event: { lvl: 'info', n: 1 }, outcome: pass({ lvl: 'info', n: 1 }) },
        { event: { lvl: 'info', n: 2 }, outcome: drop() },
        { event: { lvl: 'err' }, outcome: pass({ lvl: 'err' }) },
        { event: { lvl: 'info', n: 3 }, outcome: drop() },
        { event: { lvl: 'info', n: 4 }, outcome: pass({ lvl: 'info', n: 4 }) },
        { event: { lvl: 'info', n: 5 }, outcome: drop() },
      ],
    },
    {
      title: 'an event that cannot be compared is counted like any other',
      config: { rate: 2, always_include: { field: '.size', str_operator: 'greater', value: 5 } },
      steps: [
        { event: { size: 6 }, outcome: pass({ size: 6 }) },
        {
          event: { size: '9' },
          outcome: pass({ size: '9' }),
          errors: [['E_COMPARE_COERCION_FAILED', '.size']],
        },
        { event: {}, outcome: drop(), errors: [['E_NOT_FOUND', '.size']] },
        { event: { size: null }, outcome: pass({ size: null }), errors: [['E_COMPARE_BAD_TYPE', '.size']] },
      ],
    },
    {
      title: 'a text that is not an address is counted, too',
      config: {
        rate: 2,
        always_include: { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
      },
      steps: [
        {
          event: { from: 'here' },
          outcome: pass({ from: 'here' }),
          errors: [['E_COMPARE_BAD_CIDR', '.from']],
        },
        { event: { from: '10.1.2.3' }, outcome: pass({ from: '10.1.2.3' }) },
        { event: { from: '192.0.2.1' }, outcome: drop() },
      ],
    },
  ],
})

function turnBytes(place: number): Buffer {
  const bytes = Buffer.alloc(SNAPSHOT_BYTES)
  bytes.writeUInt8(FORMAT)
  bytes.writeUInt32LE(place, 1)
  return bytes
}
