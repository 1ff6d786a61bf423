import { hold, merge } from '../../../event/outcome.ts'
import type { Example } from '../../contract/define-processor.ts'

/** Worked examples of `reduce`. */
export const REDUCE_EXAMPLES: readonly Example[] = [
  {
    title: 'the contents of a cart, after five seconds',
    config: {
      duration_ms: 5000,
      group_by: ['.cart'],
      merge_strategies: [
        { field: '.item', strategy: 'array' },
        { field: '.by', strategy: 'retain' },
      ],
    },
    steps: [
      { atMs: 0, event: { cart: 1, item: 'rye', qty: 2, by: 'ann' }, outcome: hold() },
      { atMs: 1000, event: { cart: 1, item: 'oat', qty: 1, by: null }, outcome: merge() },
      { atMs: 2000, event: { cart: '1', item: 'tea', qty: 9 }, outcome: hold() },
      { atMs: 4999, event: { cart: 1, item: 'rye', qty: 4, by: 'bo' }, outcome: merge() },
      {
        atMs: 5000,
        released: [{ cart: 1, item: ['rye', 'oat', 'rye'], qty: 7, by: 'bo' }],
        event: { cart: 1, item: 'jam', qty: 1 },
        outcome: hold(),
      },
      {
        atMs: 7000,
        released: [{ cart: '1', item: ['tea'], qty: 9 }],
        event: { cart: 1, item: 'jam', qty: 1 },
        outcome: merge(),
      },
    ],
  },
  {
    title: 'a stack trace: each line that does not begin with a blank begins a new event',
    config: {
      merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
      flush_condition: {
        when: 'starts_when',
        conditional: {
          expressions: [{ field: '.line', str_operator: 'starts_with', value: ' ', negate: true }],
        },
      },
    },
    steps: [
      { event: { line: 'Error: full' }, outcome: hold() },
      { event: { line: '  at fill' }, outcome: merge() },
      { event: { line: '  at main' }, outcome: merge() },
      { event: { line: 'ready' }, outcome: hold([{ line: 'Error: full\n  at fill\n  at main' }]) },
      { atMs: 30_000, released: [{ line: 'ready' }], event: { line: 'again' }, outcome: hold() },
    ],
  },
  {
    title: 'three events at most, or until one says that it is the last',
    config: {
      max_events: 3,
      flush_condition: {
        when: 'ends_when',
        conditional: {
          logical_operation: 'OR',
          expressions: [
            { field: '.from', str_operator: 'is_ip_in_cidr_range', value: '10.0.0.0/8' },
            { field: '.left', str_operator: 'less', value: 1 },
          ],
        },
      },
    },
    steps: [
      { event: { from: '10.0.0.1', n: 1 }, outcome: hold([{ from: '10.0.0.1', n: 1 }]) },
      {
        event: { from: 'here', left: 'all', n: 1 },
        outcome: hold(),
        errors: [
          ['E_COMPARE_BAD_CIDR', '.from'],
          ['E_COMPARE_COERCION_FAILED', '.left'],
        ],
      },
      {
        event: { from: null, n: 2 },
        outcome: merge(),
        errors: [
          ['E_COMPARE_BAD_TYPE', '.from'],
          ['E_NOT_FOUND', '.left'],
        ],
      },
      {
        event: { from: '192.0.2.1', left: 5, n: 3 },
        outcome: merge([{ from: 'here', left: 'all', n: 6 }]),
      },
      { event: { from: '10.0.0.1', n: 1 }, outcome: hold([{ from: '10.0.0.1', n: 1 }]) },
    ],
  },
  {
    title: 'dates: the first and the last, as their format writes them',
    config: {
      max_events: 3,
      date_formats: [
        { field: '.at', format: '%d/%m/%Y:%T' },
        { field: '.epoch', format: '%s' },
        { field: '.maybe', format: '%F' },
      ],
    },
    steps: [
      { event: { at: '9/3/2031:08:15:30', epoch: 1930983330, maybe: 'soon' }, outcome: hold() },
      { event: { at: 'later', epoch: 1930983331, maybe: '2031-03-09' }, outcome: merge() },
      {
        event: { at: '09/03/2031:08:15:59', epoch: '1930983332' },
        outcome: merge([
          {
            at: '09/03/2031:08:15:30',
            at_end: '09/03/2031:08:15:59',
            epoch: 1930983330,
            epoch_end: 1930983332,
            maybe: 'soon',
          },
        ]),
      },
    ],
  },
  {
    title: 'each strategy',
    config: {
      max_events: 3,
      merge_strategies: [
        { field: '.all', strategy: 'array' },
        { field: '.few', strategy: 'shortest_array' },
        { field: '.many', strategy: 'longest_array' },
        { field: '.kinds', strategy: 'flat_unique' },
        { field: '.words', strategy: 'concat' },
        { field: '.lists', strategy: 'concat' },
        { field: '.lines', strategy: 'concat_newline' },
        { field: '.bits', strategy: 'concat_raw' },
        { field: '.first', strategy: 'discard' },
        { field: '.last', strategy: 'retain' },
        { field: '.low', strategy: 'min' },
        { field: '.high', strategy: 'max' },
        { field: '.total', strategy: 'sum' },
      ],
    },
    steps: [
      {
        event: {
          all: 1,
          few: [1, 2],
          many: [1, 2],
          kinds: ['a', 'b'],
          words: 'one',
          lists: [1],
          lines: 'x',
          bits: '0',
          first: 7,
          last: 'x',
          low: 5,
          high: 5,
          total: 'none',
          other: 1,
        },
        outcome: hold(),
      },
      {
        event: {
          all: null,
          few: [3],
          many: [3, 4],
          kinds: { k: 'b', l: 'c' },
          words: 2,
          lists: [[2]],
          lines: 'y',
          bits: '1',
          first: 8,
          last: null,
          low: 4,
          high: 'x',
          total: 2,
          other: 'x',
        },
        outcome: merge(),
      },
      {
        event: { all: {}, kinds: 'd', words: 'two', low: 6, high: 9, total: 3, other: 2, late: { a: 1 } },
        outcome: merge([
          {
            all: [1, null, {}],
            few: [3],
            many: [1, 2],
            kinds: ['a', 'b', 'c', 'd'],
            words: 'one two',
            lists: [1, [2]],
            lines: 'x\ny',
            bits: '01',
            first: 7,
            last: 'x',
            low: 4,
            high: 9,
            other: 3,
            total: 5,
            late: { a: 1 },
          },
        ]),
      },
    ],
  },
]
