import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { sentEvent } from '../../../../test/support/sent-lines.ts'
import { type ModelSpan, type ModelStep, TraceModel } from '../../../../test/support/trace-model.ts'
import { Event } from '../../../event/event.ts'
import { Dropped, Gathered, Settled } from '../../../event/outcome.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { finish } from '../../../steps.ts'
import { traceSampling } from './trace-sampling.ts'
import { TRACE_BOUNDS, type TraceBounds, Traces } from './traces.ts'

const TIME = '2031-03-09T08:15:30.250Z'
const ROOMY: TraceBounds = { maxTraces: 1_000, maxHeldSpans: 1_000, maxHeldBytes: 1_000_000 }
const LARGE = 'x'.repeat(80)

/** Conditions of tail sampling: a root meets rule `i` if its member `ri` is there. */
const TAIL = (rates: readonly number[]): JsonObject => ({
  sample_type: 'tail',
  conditionals: rates.map((rate, index) => ({
    rate,
    conditional: { expressions: [{ field: `.r${index}`, str_operator: 'exists' }] },
  })),
})

const messageOf = ({ trace, n, isRoot, meets }: Omit<ModelSpan, 'bytes'>): JsonObject => ({
  trace_id: trace,
  n,
  ...(n % 5 === 0 && { text: LARGE }),
  ...(!isRoot && { parent_span_id: 'p' }),
  ...Object.fromEntries(meets.map(rule => [`r${rule}`, true])),
})
const numberOf = ({ message }: Event) => (message as { readonly n: number }).n

/** A processor with its state, as one partition has it. */
class Node {
  state: Traces
  readonly #config: JsonObject
  readonly #bounds: TraceBounds
  readonly #process
  readonly #release

  constructor(config: JsonObject, bounds = ROOMY) {
    this.#config = config
    this.#bounds = bounds
    this.state = new Traces(bounds)
    this.#process = traceSampling.compile(config, () => {}, UNMETERED)
    this.#release = traceSampling.windows?.release(config)
  }

  take(message: JsonObject, nowMs: number): ModelStep {
    const ended = this.endWaiting(nowMs)
    while (traceSampling.state?.advance(this.state, nowMs, this.#config) === false);
    const outcome = this.#process(Event.of(message, {}, TIME), this.state, nowMs)
    if (outcome instanceof Settled)
      return {
        fate: outcome.fate,
        released: outcome.released.map(numberOf),
        leftOut: outcome.leftOut.map(({ event }) => numberOf(event)),
        ...ended,
      }
    const isHeld = outcome instanceof Gathered
    const fate = isHeld ? 'held' : outcome instanceof Dropped ? 'dropped' : 'passed'
    return { fate, released: [], leftOut: [], ...ended }
  }

  endWaiting(nowMs: number): Pick<ModelStep, 'endedByTime' | 'errors'> {
    const endedByTime: number[] = []
    const errors: number[] = []
    for (const ended of this.#release?.(this.state, nowMs, nowMs) ?? []) {
      endedByTime.push(numberOf(ended.event))
      if ('error' in ended) errors.push(numberOf(ended.event))
    }
    return { endedByTime, errors }
  }

  restore(): void {
    this.state = finish(Traces.restore(finish(this.state.snapshot()), this.#bounds))
  }

  /** Moves the traces of some of so many shares to another node. */
  move(shares: readonly number[], of: number, target: (share: number) => Node): void {
    for (const piece of this.state.split(shares, hash => hash % of))
      if (piece !== undefined) target(piece.share).state.absorb(piece.data)
  }
}

const drawnSpan = fc.record({
  trace: fc
    .oneof({ weight: 2, arbitrary: fc.integer({ min: 0, max: 1 }) }, fc.integer({ min: 0, max: 7 }))
    .map(n => `t${n}${n === 7 ? 'long'.repeat(20) : ''}`),
  isRoot: fc.constantFrom(true, false, false),
  meets: fc.constantFrom([], [0], [1], [0, 1]),
  afterMs: fc.oneof(
    { weight: 15, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    fc.constantFrom(149_999, 150_000, 299_999, 300_000, 450_000, 900_000),
  ),
  next: fc.constantFrom('', '', '', 'restore', 'move'),
})
const drawnSpans = fc.array(drawnSpan, { maxLength: 60, size: 'max' })
const drawnOptions = fc.record({
  type: fc.constantFrom('head' as const, 'tail' as const),
  rates: fc.tuple(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 1, max: 3 })),
  maxTraces: fc.constantFrom(2, 4, 1_000),
  maxHeldSpans: fc.constantFrom(1, 3, 1_000, 1_000),
  maxHeldBytes: fc.constantFrom(400, 1_000, 100_000, 100_000),
})

/** Size of a held event that comes from no line. */
const bytesOf = (message: JsonObject) => 100 + JSON.stringify(message).length + '{}'.length

describe('the traces of a node', () => {
  test('are sampled as the model by brute force does, also across restarts and moves to other partitions and back', () => {
    let releasedTogether = 0
    fc.assert(
      fc.property(drawnOptions, drawnSpans, fc.integer({ min: 1, max: 8 }), (options, spans, of) => {
        const { type, rates } = options
        const model = new TraceModel(options)
        const node = new Node(
          type === 'head' ? { sample_type: 'head', rate: rates[0] } : TAIL(rates),
          options,
        )
        let nowMs = 1_930_000_000_000
        for (const [n, { afterMs, next, ...drawn }] of spans.entries()) {
          nowMs += afterMs
          const message = messageOf({ ...drawn, n })
          const span = { ...drawn, n, bytes: bytesOf(message) }
          const taken = node.take(message, nowMs)
          expect(taken).toEqual(model.take(span, nowMs))
          if (taken.released.length > 1) releasedTogether++
          expect(node.state.held).toBe(model.held)
          if (next === 'restore') node.restore()
          if (next !== 'move') continue
          const elsewhere = Array.from({ length: of }, () => new Node({}, options))
          node.move([...elsewhere.keys()], of, share => elsewhere[share] as Node)
          expect(node.state.held).toBe(0)
          for (const each of elsewhere) each.move([...elsewhere.keys()], of, () => node)
        }
        expect(node.endWaiting(Number.POSITIVE_INFINITY)).toEqual(model.endWaiting(Number.POSITIVE_INFINITY))
        expect(node.state.deadlineMs).toBe(Number.POSITIVE_INFINITY)
      }),
      { numRuns: 300 },
    )
    // Otherwise the order of their spans would mean nothing.
    expect(releasedTogether).toBeGreaterThan(8)
  })

  test('are sampled alike on one partition and on up to eight, between which they move', () => {
    fc.assert(
      fc.property(
        drawnSpans,
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
        (spans, turns) => {
          const model = new TraceModel({ ...ROOMY, type: 'tail', rates: [1, 1] })
          let nodes = [new Node(TAIL([1, 1]))]
          let nowMs = 1_930_000_000_000
          for (const [n, { afterMs, next, ...drawn }] of spans.entries()) {
            nowMs += afterMs
            if (next === 'move') nodes = spreadOver(nodes, turns[n % turns.length] as number)
            const message = messageOf({ ...drawn, n })
            const step = model.take({ ...drawn, n, bytes: 1 }, nowMs)
            const ended = nodes.flatMap(each => each.endWaiting(nowMs).endedByTime)
            expect(ended.toSorted()).toEqual(step.endedByTime.toSorted())
            const owner = nodes[shareOf(drawn.trace, nodes.length)] as Node
            expect(owner.take(message, nowMs)).toMatchObject({
              fate: step.fate,
              released: step.released,
              leftOut: step.leftOut,
            })
            expect(nodes.reduce((sum, { state }) => sum + state.held, 0)).toBe(model.held)
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  test('give held lines back as they were sent, from a snapshot, too', () => {
    const line = sentEvent({ line: '{"b":1,  "a":2}', meta: '{"trace":"t","parent":"p"}' })
    const config = {
      ...TAIL([1]),
      trace_id_field: '.meta.trace',
      parent_span_id_field: '.meta.parent',
    }
    const process = traceSampling.compile(config, () => {}, UNMETERED)
    const state = new Traces(ROOMY)
    process(line.withAnnotations({ app: 'gate' }), state, 0)
    const restored = finish(Traces.restore(finish(state.snapshot()), ROOMY))
    const root = Event.of({ meta: { trace: 't' }, r0: 1 }, {}, TIME)
    const outcome = process(root, restored, 0) as Settled
    expect(
      outcome.released.map(({ untouched, message, annotations }) => ({ untouched, message, annotations })),
    ).toEqual([{ untouched: true, message: line.message, annotations: { app: 'gate' } }])
  })

  test('of which one is longer than a piece are moved in several', () => {
    const node = new Node(TAIL([1]))
    for (let n = 0; n < 30; n++)
      node.take({ trace_id: 't', parent_span_id: 'p', n, text: 'x'.repeat(30_000) }, n)
    const pieces = [...node.state.split([0], () => 0)].filter(piece => piece !== undefined)
    expect(pieces.length).toBeGreaterThan(1)
    const target = new Node(TAIL([1]))
    for (const { data } of pieces) target.state.absorb(data)
    expect(target.take({ trace_id: 't', r0: 1 }, 40).released).toEqual(
      Array.from({ length: 30 }, (_, n) => n),
    )
  })

  test.each(['', '7\n', '1\n[', '1\n{}\n', '1\n["waiting"'])('are not read from %j', text => {
    expect(() => finish(Traces.restore(Buffer.from(text), ROOMY))).toThrow(RangeError)
  })
})

test('a span whose parent is null is a root, and one whose parent is anything else is not', () => {
  const fateOf = (parent: JsonValue) =>
    new Node(TAIL([1])).take({ trace_id: 't', parent_span_id: parent }, 0).fate
  expect([null, ''].map(fateOf)).toEqual(['dropped', 'dropped'])
  expect([0, false, {}, ' ', 'p'].map(fateOf)).toEqual(['held', 'held', 'held', 'held', 'held'])
})

describe('the bounds of every installation', () => {
  const child = (trace: number, text = '') => ({ trace_id: `t${trace}`, parent_span_id: 'p', n: trace, text })
  const newNode = () => new Node(TAIL([1]), TRACE_BOUNDS)

  test('allow 1,000 held spans of a trace', () => {
    const node = newNode()
    for (let n = 0; n < 1_000; n++) expect(node.take(child(0), 0).fate).toBe('held')
    expect(node.take(child(0), 0)).toMatchObject({ fate: 'dropped', leftOut: Array(1_000).fill(0) })
  })

  test('allow 100,000 traces', () => {
    const node = newNode()
    for (let trace = 0; trace < 100_000; trace++) node.take(child(trace), 0)
    expect(node.state.held).toBe(100_000)
    expect(node.take(child(100_000), 0)).toMatchObject({ fate: 'held', leftOut: [0] })
  })

  test('allow 64 MiB of held spans', () => {
    const node = newNode()
    const text = 'x'.repeat(1_048_576)
    const leftOut = Array.from({ length: 65 }, (_, trace) => node.take(child(trace, text), 0).leftOut)
    expect(leftOut).toEqual([...Array(63).fill([]), [0], [1]])
  })
})

describe('a change of options', () => {
  const keeps = (before: JsonObject, after: JsonObject) => traceSampling.state?.keeps(before, after)

  test.each<[string, boolean, JsonObject, JsonObject]>([
    ['of the rate', true, { sample_type: 'head', rate: 2 }, { sample_type: 'head', rate: 3 }],
    ['of the rules', true, TAIL([1]), TAIL([2, 3])],
    ['of the type', false, TAIL([1]), { sample_type: 'head' }],
    ['of the trace id', false, TAIL([1]), { ...TAIL([1]), trace_id_field: '.t' }],
    ['of the parent', false, TAIL([1]), { ...TAIL([1]), parent_span_id_field: '.p' }],
  ])('%s keeps the traces: %s', (_change, isKept, before, after) => {
    expect(keeps(before, after)).toBe(isKept)
  })

  test('of the rules keeps decisions and held spans, and counts anew', () => {
    const config = (rate: number) => TAIL([rate])
    const node = new Node(config(2))
    expect(node.take({ trace_id: 'a', r0: 1, n: 1 }, 1).fate).toBe('passed')
    expect(node.take({ trace_id: 'b', r0: 1, n: 2 }, 2).fate).toBe('dropped')
    expect(node.take({ trace_id: 'c', r0: 1, n: 3 }, 3).fate).toBe('passed')
    expect(node.take({ trace_id: 'd', parent_span_id: 'p', n: 4 }, 4).fate).toBe('held')
    const changed = new Node(config(3))
    changed.state = node.state
    expect(changed.take({ trace_id: 'b', r0: 1, n: 5 }, 5).fate).toBe('dropped')
    expect(changed.take({ trace_id: 'd', r0: 1, n: 6 }, 6)).toMatchObject({ fate: 'passed', released: [4] })
    expect(changed.take({ trace_id: 'e', r0: 1, n: 7 }, 7).fate).toBe('dropped')
  })
})

/** The traces of some nodes on so many new ones. */
function spreadOver(nodes: readonly Node[], of: number): Node[] {
  const targets = Array.from({ length: of }, () => new Node(TAIL([1, 1])))
  for (const each of nodes) each.move([...targets.keys()], of, share => targets[share] as Node)
  return targets
}

/** The share of a trace. */
function shareOf(trace: string, of: number): number {
  const { state } = traceSampling
  if (state?.placement.by !== 'key') throw new Error('traces are in one place each')
  const hash = state.placement.hash(TAIL([1]), UNMETERED)
  return hash(Event.of({ trace_id: trace }, {}, TIME), undefined) % of
}
