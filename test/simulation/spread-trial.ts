import type { MemoryRow } from '../support/memory-store.ts'
import { EPOCH_MS, SpreadRun, type SpreadScript } from '../support/spread-run.ts'
import { TraceModel } from '../support/trace-model.ts'
import { node, SOURCE } from '../support/world.ts'
import { must } from './broken-promise.ts'

/** Fewer than there are keys, so that keys are forgotten. */
const REMEMBERED = 4
const TRACES = 6
/** A root is a line without a level. */
const ROOT = ''
/** Roots whose text contains it have their trace kept. */
const KEPT_TEXT = '1'

/** A processor that remembers, and the check of what it gave. */
interface SpreadCase {
  readonly script: SpreadScript
  /** @throws BrokenPromise with the first line that should have had another fate */
  check(run: SpreadRun): void
}

const DEDUPE: SpreadCase = {
  script: {
    isOneByOne: true,
    nodes: () => [
      SOURCE,
      node('transform', 'first', 'dedupe', ['source'], { fields: ['.app'], number_of_events: REMEMBERED }),
      node('sink', 'store', 'mezmo', ['first']),
    ],
  },
  /** Where an account is spread, each partition remembers that many keys; a key is never forgotten before that many others were used. */
  check(run) {
    const passed = storedLines(run)
    /** Keys of all lines so far. */
    const used: string[] = []
    for (const [text, { app }] of run.sent) {
      const last = used.lastIndexOf(app)
      const others = new Set(used.slice(last + 1)).size
      const isPassed = passed.has(text)
      const state = () => `"${text}" of ${app}, which was used before ${others} other keys`
      if (last < 0) must(isPassed, 'the first line of a key passes a dedupe', () => `"${text}" of ${app}`)
      else if (isPassed)
        must(others >= REMEMBERED, 'a dedupe forgets the keys that were used least recently', state)
      used.push(app)
    }
  },
}

const TAIL_SAMPLING: SpreadCase = {
  script: {
    isOneByOne: true,
    drawLine: dice => ({
      app: `trace-${dice.below(TRACES)}`,
      level: dice.chance(0.3) ? ROOT : 'child',
    }),
    nodes: () => [
      SOURCE,
      node('transform', 'traces', 'trace-sampling', ['source'], {
        ...{ sample_type: 'tail', trace_id_field: '.app', parent_span_id_field: '.level' },
        // Only a rate of one gives the same in every partition: turns are counted in each.
        conditionals: [
          {
            rate: 1,
            conditional: { expressions: [{ field: '.line', str_operator: 'contains', value: KEPT_TEXT }] },
          },
        ],
      }),
      node('sink', 'store', 'mezmo', ['traces']),
    ],
  },
  /** A trace has one place at a time, so its lines have the fate that they have in one partition. */
  check(run) {
    const model = new TraceModel({
      ...{ type: 'tail', rates: [1] },
      ...{ maxTraces: 100_000, maxHeldSpans: 1_000, maxHeldBytes: 64 << 20 },
    })
    const texts = [...run.sent.keys()]
    const expected = new Set<string>()
    let unrooted = 0
    for (const [n, [text, { app, level, epoch }]] of [...run.sent].entries()) {
      const meets = text.includes(KEPT_TEXT) ? [0] : []
      const span = { trace: app, n, isRoot: level === ROOT, meets, bytes: 0 }
      const { fate, released, errors } = model.take(span, epoch * EPOCH_MS + n)
      if (fate === 'passed') for (const place of [n, ...released]) expected.add(texts[place] as string)
      unrooted += errors.length
    }
    unrooted += model.endWaiting(Number.POSITIVE_INFINITY).errors.length
    const passed = storedLines(run)
    for (const text of texts)
      must(
        passed.has(text) === expected.has(text),
        'a trace is kept or dropped as a whole, wherever its account is',
        () => `"${text}" of ${run.sent.get(text)?.app} is ${passed.has(text) ? '' : 'not '}stored`,
      )
    const errors = run.store.rows('pipeline_errors').filter(({ code }) => code === 'E_TRACE_NO_ROOT')
    const reported = errors.reduce((sum, { count }) => sum + Number(count), 0)
    must(
      reported === unrooted,
      'each trace whose root does not come is reported once',
      () => `${reported} were reported instead of ${unrooted}`,
    )
  },
}

const WINDOWS: SpreadCase = {
  script: {
    isOneByOne: true,
    nodes: () => [
      SOURCE,
      node('transform', 'meter', 'event-to-metric', ['source'], {
        ...{ metric_name: 'lines', metric_kind: 'incremental', metric_type: 'counter' },
        value: { value_type: 'value', value: 1 },
        tags: [{ name: 'app', value_type: 'field', value: '.app' }],
      }),
      node('transform', 'sums', 'aggregate', ['meter'], {
        ...{ window: { type: 'tumbling', interval: 60 }, evaluate: { operation: 'SUM' } },
        ...{ group_by: ['.tags.app'], event_timestamp: '.none' },
      }),
      node('sink', 'store', 'mezmo', ['sums'], {
        message: {
          scheme: 'Explicit field selection',
          line: '{{ .value.value }} {{ metadata.aggregate.start_timestamp }}',
          app: '{{ .tags.app }}',
        },
      }),
    ],
  },
  /** The windows of a group have one place at a time: none is given in two parts, and each line is in one. */
  check(run) {
    const windows = new Set<string>()
    const counted = new Map<string, number>()
    for (const { line, app } of run.store.rows('lines')) {
      const [count, start] = String(line).split(' ')
      const window = `${app} ${start}`
      must(!windows.has(window), 'a window is given once', () => window)
      windows.add(window)
      counted.set(String(app), (counted.get(String(app)) ?? 0) + Number(count))
    }
    const sent = Map.groupBy(run.sent.values(), ({ app }) => app)
    for (const [app, lines] of sent)
      must(
        counted.get(app) === lines.length,
        'each line is counted in one window',
        () => `${counted.get(app)} lines of ${app} were counted instead of ${lines.length}`,
      )
  },
}

const CASES = [DEDUPE, TAIL_SAMPLING, WINDOWS] as const

/** Worlds of an account that is spread and gathered while a processor remembers. */
export class SpreadTrial {
  /** @throws BrokenPromise with the first line that should have had another fate */
  async run({ seed }: { readonly seed: number }): Promise<void> {
    const { script, check } = CASES[seed % CASES.length] as SpreadCase
    const run = await SpreadRun.of(seed, script)
    await run.run()
    check(run)
  }
}

function storedLines({ store }: SpreadRun): Set<unknown> {
  return new Set(store.rows('lines').map(({ line }: MemoryRow) => line))
}
