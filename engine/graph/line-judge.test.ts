import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { type SentLine, sentBatch } from '../../test/support/sent-lines.ts'
import { Event } from '../event/event.ts'
import { ExpressionAllowance, ExpressionBudget } from '../expressions/expression-budget.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Processor } from '../nodes/contract/define-processor.ts'
import { filter } from '../nodes/processors/filter.ts'
import { compileGraph } from './compile-graph.ts'
import { lineJudge } from './line-judge.ts'

const { columns: _, ...byEvents } = filter
/** All node types, without their form for columns. */
const WITHOUT_COLUMNS = catalogueWith({ processors: [byEvents] })

const node = (
  id: string,
  kind: NodeDocument['kind'],
  type: string,
  input?: string,
  config: JsonObject = {},
) => ({
  ...{ id, kind, type, title: null, user_config: config },
  inputs: input === undefined ? [] : [input],
})

function documentOf(filters: readonly JsonObject[]) {
  const nodes = filters.map((config, index) =>
    node(`f${index}`, 'transform', 'filter', index === 0 ? 'in' : `f${index - 1}`, config),
  )
  return {
    ...{ id: 'p', accountId: 'a', title: 't', revision: 1 },
    nodes: [
      node('in', 'source', 'log-analysis-ingestion'),
      ...nodes,
      node('out', 'sink', 'blackhole', `f${filters.length - 1}`),
    ],
  }
}

/** Everything that a run of events through filters shows. */
function runThrough(
  catalogue: Catalogue,
  filters: readonly JsonObject[],
  events: readonly Event[],
  { isObserved }: { readonly isObserved: boolean },
) {
  const graph = compileGraph(catalogue, documentOf(filters))
  const shown: unknown[] = []
  const noted = (name: string) => (id: string, event: Event, row: number) =>
    shown.push([name, id, events.indexOf(event), row])
  const budget = new ExpressionBudget()
  const allowance = new ExpressionAllowance(budget)
  allowance.begin(0, 1_000)
  graph.run('ingest', events, {
    nowMs: 0,
    deliver: (_, delivered) => {
      shown.push(delivered.map(event => events.indexOf(event)))
    },
    report: ({ nodeId, code, field, message, event }) =>
      shown.push([nodeId, code, field, message, events.indexOf(event)]),
    allowance,
    ...(isObserved && {
      observer: {
        left: (id, output, event, row) => noted(`left by ${output}`)(id, event, row),
        dropped: (id, event, row, reason) => {
          noted('dropped')(id, event, row)
          shown.push(reason())
        },
        gathered: () => {},
        failed: noted('failed'),
        moved: () => {},
        reported: ({ nodeId, code, event }, row) => shown.push([nodeId, code, events.indexOf(event), row]),
      },
    }),
  })
  return { shown, counters: [...graph.counters], left: [budget.shared, budget.saved] }
}

const word = fc.constantFrom('', 'a', 'A', 'web-1', 'WEB-2', '7', '10.1.2.3', 'İ', 'null', 'true')
const line = fc.record(
  {
    line: fc.constantFrom('', 'text', '{"level":"a"}'),
    host: word,
    app: word,
    level: word,
    env: word,
    file: word,
  },
  { requiredKeys: ['line'] },
)
/** A batch, in which each line may be changed, read, or followed by an event of another batch. */
const events = fc
  .array(fc.tuple(line, fc.constantFrom('untouched', 'untouched', 'changed', 'read', 'other')), {
    minLength: 30,
    maxLength: 60,
    size: 'max',
  })
  .chain(drawn => fc.tuple(fc.constant(drawn), fc.constantFrom('', 'web-1', 'A')))
  .map(([drawn, hostname]) => {
    const lines = drawn.map(([sent]) => sent as SentLine)
    const batch = sentBatch(lines, { hostname })
    return drawn.map(([sent, state], index) => {
      const event = Event.ofLine(
        state === 'other' ? sentBatch([sent as SentLine]) : batch,
        state === 'other' ? 0 : index,
      )
      if (state === 'changed') return event.withMessage({ app: 'A', level: 7 })
      if (state === 'read') expect(event.message).toBeDefined()
      return event
    })
  })

const field = fc.constantFrom('.host', '.app', '.level', '.env', '.file', 'message.app', '."level"')
const leaf = fc.oneof(
  fc.record({
    field,
    str_operator: fc.constantFrom('equal', 'not_equal', 'starts_with', 'ends_with'),
    value: word,
    negate: fc.boolean(),
    case_sensitive: fc.boolean(),
  }),
  fc.record({ field, str_operator: fc.constantFrom('greater', 'less_or_equal'), value: fc.constant(5) }),
  fc.record({ field, str_operator: fc.constant('is_ip_in_cidr_range'), value: fc.constant('10.0.0.0/8') }),
  fc.record({
    field,
    str_operator: fc.constantFrom(
      'exists',
      'not_exists',
      'is_null',
      'is_string',
      'is_number',
      'is_empty',
      'is_metric',
    ),
    negate: fc.boolean(),
  }),
  // These are not judged on columns.
  fc.record({
    field: fc.constantFrom('.app', '.line', '.level.deep', 'timestamp'),
    str_operator: fc.constantFrom('contains', 'regex_match'),
    value: fc.constantFrom('a', 'e.'),
  }),
)
const operation = fc.constantFrom('AND', 'OR')
const few = fc.oneof(
  { weight: 5, arbitrary: leaf },
  fc.record({
    logical_operation: operation,
    expressions: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  }),
)
const conditional = fc.record({
  logical_operation: operation,
  expressions: fc.array(few, { minLength: 1, maxLength: 4 }),
})
const filters = fc.array(fc.record({ action: fc.constantFrom('allow', 'drop'), conditional }), {
  minLength: 1,
  maxLength: 3,
}) as unknown as fc.Arbitrary<JsonObject[]>

describe('a filter on columns', () => {
  test('gives the same outcomes, counters, errors, costs and explanations as on events', () => {
    fc.assert(
      fc.property(filters, events, fc.boolean(), (filters, events, isObserved) => {
        const of = (catalogue: Catalogue) => runThrough(catalogue, filters, events, { isObserved })
        expect(of(CATALOGUE)).toEqual(of(WITHOUT_COLUMNS))
      }),
      { numRuns: 300 },
    )
  })

  const judgeOf = (...expressions: JsonObject[]) =>
    lineJudge(filter, { action: 'allow', conditional: { expressions } })
  const outcomesOf = (judge: ReturnType<typeof judgeOf>, events: readonly Event[]) => [
    ...(judge?.outcomesOf(events, 0, events.length) ?? []),
  ]

  test('decides untouched lines with the member, and no other events', () => {
    const lines = Array.from({ length: 40 }, (_, index) => ({
      line: 'x',
      ...(index !== 2 && { level: ['info', 'warn'][index % 2] as string }),
    }))
    const batch = sentBatch(lines)
    const events = lines.map((_, index) => Event.ofLine(batch, index))
    events[3] = (events[3] as Event).withMessage({ level: 'warn' })
    const judge = judgeOf({ field: '.level', str_operator: 'equal', value: 'warn' })
    expect(outcomesOf(judge, events).slice(0, 6)).toEqual([2, 1, 0, 0, 2, 1])
  })

  test('reads the hostname of the request if a line does not have its host', () => {
    const lines = Array.from({ length: 40 }, (_, index) => ({
      line: 'x',
      ...(index === 1 && { host: 'own' }),
    }))
    const batch = sentBatch(lines, { hostname: 'sender' })
    const events = lines.map((_, index) => Event.ofLine(batch, index))
    const judge = judgeOf({ field: '.host', str_operator: 'equal', value: 'sender' })
    expect(outcomesOf(judge, events).slice(0, 3)).toEqual([1, 2, 1])
  })

  test.each([
    ['a text is sought', { field: '.app', str_operator: 'contains', value: 'a' }],
    ['an expression is matched', { field: '.app', str_operator: 'regex_match', value: 'a' }],
    ['the text of the line is read', { field: '.line', str_operator: 'equal', value: 'a' }],
    ['a deeper member is read', { field: '.app.a', str_operator: 'exists' }],
    ['metadata is read', { field: 'metadata.app', str_operator: 'exists' }],
  ])('is not used if %s', (_title, expression) => {
    expect(judgeOf(expression)).toBeUndefined()
    expect(judgeOf({ field: '.app', str_operator: 'exists' }, expression)).toBeUndefined()
  })

  test('is not used if the number of comparisons counts as cost', () => {
    const comparisons = (count: number) =>
      judgeOf(...Array.from({ length: count }, () => ({ field: '.app', str_operator: 'exists' })))
    expect([comparisons(8), comparisons(9)]).toEqual([expect.anything(), undefined])
  })

  test('is not used for a processor with state', () => {
    const withState = { ...filter, state: {} as Processor['state'] } as Processor
    const config = {
      action: 'allow',
      conditional: { expressions: [{ field: '.app', str_operator: 'exists' }] },
    }
    expect(lineJudge(withState, config)).toBeUndefined()
  })
})
