import { drop, fail, hold, pass, settle } from '../../../event/outcome.ts'
import type { Example } from '../../contract/define-processor.ts'
import { NO_CONDITION, NO_ROOM, notFirst } from './reasons.ts'
import type { TraceBounds } from './traces.ts'

const SERVER_ERROR = { rate: 1, conditional: comparison('.status', 'greater_or_equal', 500) }

/** Worked examples of trace sampling. */
export const TRACE_EXAMPLES: readonly Example[] = [
  {
    title: 'head: the first span of a trace decides, one of two traces is kept, and later spans follow',
    config: { sample_type: 'head', rate: 2 },
    steps: [
      { event: { trace_id: 'a', n: 1 }, outcome: pass({ trace_id: 'a', n: 1 }) },
      { event: { trace_id: 'b', n: 1 }, outcome: drop() },
      { event: { trace_id: 'b', n: 2 }, outcome: drop() },
      { event: { trace_id: 'a', n: 2 }, outcome: pass({ trace_id: 'a', n: 2 }) },
      { event: { trace_id: 'c' }, outcome: pass({ trace_id: 'c' }) },
    ],
  },
  {
    title: 'head: a decision is remembered for fifteen minutes after the last span of its trace',
    config: { sample_type: 'head', rate: 2 },
    steps: [
      { event: { trace_id: 'a' }, atMs: 0, outcome: pass({ trace_id: 'a' }) },
      { event: { trace_id: 'a' }, atMs: 899_999, outcome: pass({ trace_id: 'a' }) },
      { event: { trace_id: 'a' }, atMs: 1_799_998, outcome: pass({ trace_id: 'a' }) },
      { event: { trace_id: 'a' }, atMs: 2_699_998, outcome: drop() },
    ],
  },
  {
    title:
      'a span without a trace id fails, and so does one whose id is not a text, or whose message is not an object',
    config: { sample_type: 'head' },
    steps: [
      {
        event: { span: 1 },
        outcome: fail('E_NOT_FOUND', { field: '.trace_id' }),
        errors: [['E_NOT_FOUND', '.trace_id']],
      },
      {
        event: { trace_id: 7 },
        outcome: fail('E_TRACE_BAD_TYPE', { field: '.trace_id', found: 'number' }),
        errors: [['E_TRACE_BAD_TYPE', '.trace_id']],
      },
      {
        event: { trace_id: '' },
        outcome: fail('E_TRACE_BAD_TYPE', { field: '.trace_id', found: 'string' }),
        errors: [['E_TRACE_BAD_TYPE', '.trace_id']],
      },
      {
        event: 'a text',
        outcome: fail('E_TRACE_BAD_TYPE', {
          found: 'string',
          cause: 'the message is not an object, so it has no trace id',
        }),
        errors: [['E_TRACE_BAD_TYPE', null]],
      },
    ],
  },
  {
    title: 'tail: spans wait for the root of their trace, which decides and leaves first',
    config: { sample_type: 'tail', conditionals: [SERVER_ERROR] },
    steps: [
      { event: { trace_id: 't1', parent_span_id: 'r', n: 1 }, outcome: hold() },
      { event: { trace_id: 't2', parent_span_id: 'r', n: 1 }, outcome: hold() },
      { event: { trace_id: 't1', parent_span_id: 'r', n: 2 }, outcome: hold() },
      {
        event: { trace_id: 't1', status: 503 },
        outcome: settle('passed', [
          { trace_id: 't1', parent_span_id: 'r', n: 1 },
          { trace_id: 't1', parent_span_id: 'r', n: 2 },
        ]),
      },
      {
        event: { trace_id: 't1', parent_span_id: 'r', n: 3 },
        outcome: pass({ trace_id: 't1', parent_span_id: 'r', n: 3 }),
      },
      {
        event: { trace_id: 't2', parent_span_id: '', status: 200 },
        outcome: settle(
          'dropped',
          [],
          [{ event: { trace_id: 't2', parent_span_id: 'r', n: 1 }, reason: NO_CONDITION }],
        ),
      },
      { event: { trace_id: 't2', parent_span_id: 'r', status: 503 }, outcome: drop() },
    ],
  },
  {
    title: 'tail: a decision is remembered for five minutes, whatever spans follow',
    config: { sample_type: 'tail', conditionals: [SERVER_ERROR] },
    steps: [
      { event: { trace_id: 'a', status: 500 }, atMs: 0, outcome: pass({ trace_id: 'a', status: 500 }) },
      {
        event: { trace_id: 'a', parent_span_id: 'r', n: 1 },
        atMs: 299_999,
        outcome: pass({ trace_id: 'a', parent_span_id: 'r', n: 1 }),
      },
      { event: { trace_id: 'a', parent_span_id: 'r', n: 2 }, atMs: 300_000, outcome: hold() },
    ],
  },
  {
    title: 'tail: a rate keeps the first of so many traces that meet its condition, with their spans',
    config: { sample_type: 'tail', conditionals: [{ ...SERVER_ERROR, rate: 2 }] },
    steps: [
      { event: { trace_id: 'a', status: 500 }, outcome: pass({ trace_id: 'a', status: 500 }) },
      { event: { trace_id: 'b', parent_span_id: 'r' }, outcome: hold() },
      {
        event: { trace_id: 'b', status: 500 },
        outcome: settle(
          'dropped',
          [],
          [{ event: { trace_id: 'b', parent_span_id: 'r' }, reason: notFirst({ rate: 2 }) }],
        ),
      },
      { event: { trace_id: 'c', status: 500 }, outcome: pass({ trace_id: 'c', status: 500 }) },
    ],
  },
  {
    title: 'tail: the first rule that the root meets counts the trace',
    config: {
      sample_type: 'tail',
      conditionals: [SERVER_ERROR, { rate: 2, conditional: comparison('.path', 'starts_with', '/api') }],
    },
    steps: [
      {
        event: { trace_id: 'a', status: 500, path: '/api' },
        outcome: pass({ trace_id: 'a', status: 500, path: '/api' }),
      },
      {
        event: { trace_id: 'b', status: 200, path: '/api' },
        outcome: pass({ trace_id: 'b', status: 200, path: '/api' }),
      },
      { event: { trace_id: 'c', status: 200, path: '/api' }, outcome: drop() },
      { event: { trace_id: 'd', status: 200, path: '/' }, outcome: drop() },
      {
        event: { trace_id: 'e', status: 200, path: '/api' },
        outcome: pass({ trace_id: 'e', status: 200, path: '/api' }),
      },
    ],
  },
  {
    title: 'tail: spans whose root does not come within five minutes are dropped, with one error per trace',
    config: { sample_type: 'tail', conditionals: [SERVER_ERROR] },
    steps: [
      { event: { trace_id: 'a', parent_span_id: 'r', n: 1 }, atMs: 0, outcome: hold() },
      { event: { trace_id: 'a', parent_span_id: 'r', n: 2 }, atMs: 200_000, outcome: hold() },
      {
        event: { trace_id: 'a', parent_span_id: 'r', n: 3 },
        atMs: 300_000,
        leftOut: [
          { trace_id: 'a', parent_span_id: 'r', n: 1 },
          { trace_id: 'a', parent_span_id: 'r', n: 2 },
        ],
        outcome: hold(),
        errors: [['E_TRACE_NO_ROOT', '.trace_id']],
      },
    ],
  },
  {
    title:
      'tail: where one span may be held per trace, a trace with a second one is dropped, and so is its root',
    config: { sample_type: 'tail', conditionals: [SERVER_ERROR] },
    bounds: { maxTraces: 10, maxHeldSpans: 1, maxHeldBytes: 10_000 } satisfies TraceBounds,
    steps: [
      { event: { trace_id: 'a', parent_span_id: 'r', n: 1 }, outcome: hold() },
      {
        event: { trace_id: 'a', parent_span_id: 'r', n: 2 },
        outcome: settle(
          'dropped',
          [],
          [{ event: { trace_id: 'a', parent_span_id: 'r', n: 1 }, reason: NO_ROOM }],
        ),
      },
      { event: { trace_id: 'a', status: 500 }, outcome: drop() },
    ],
  },
  {
    title:
      'tail: where two traces are remembered, the one that has waited longest makes room, then the oldest decision',
    config: { sample_type: 'tail', conditionals: [SERVER_ERROR] },
    bounds: { maxTraces: 2, maxHeldSpans: 10, maxHeldBytes: 10_000 } satisfies TraceBounds,
    steps: [
      { event: { trace_id: 'a', parent_span_id: 'r' }, outcome: hold() },
      { event: { trace_id: 'b', status: 500 }, outcome: pass({ trace_id: 'b', status: 500 }) },
      {
        event: { trace_id: 'c', status: 500 },
        outcome: settle('passed', [], [{ event: { trace_id: 'a', parent_span_id: 'r' }, reason: NO_ROOM }]),
      },
      { event: { trace_id: 'd', status: 500 }, outcome: pass({ trace_id: 'd', status: 500 }) },
      { event: { trace_id: 'b', parent_span_id: 'r' }, outcome: drop() },
    ],
  },
  {
    title: 'tail: a comparison that fails is false, and its error is recorded',
    config: {
      sample_type: 'tail',
      conditionals: [
        SERVER_ERROR,
        { rate: 1, conditional: comparison('.from', 'is_ip_in_cidr_range', '10.0.0.0/8') },
      ],
    },
    steps: [
      {
        event: { trace_id: 'a', status: '500', from: '10.1.2.3' },
        outcome: pass({ trace_id: 'a', status: '500', from: '10.1.2.3' }),
        errors: [['E_COMPARE_COERCION_FAILED', '.status']],
      },
      {
        event: { trace_id: 'b', status: null, from: 'here' },
        outcome: drop(),
        errors: [
          ['E_COMPARE_BAD_TYPE', '.status'],
          ['E_COMPARE_BAD_CIDR', '.from'],
        ],
      },
    ],
  },
]

function comparison(field: string, operator: string, value: string | number) {
  return { expressions: [{ field, str_operator: operator, value }] }
}
