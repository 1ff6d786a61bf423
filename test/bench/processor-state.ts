import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Processor } from '../../engine/nodes/contract/define-processor.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { pushedEvents } from '../support/pushed-events.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { secondsOf } from './processor-time.ts'

const START_MS = 1_930_000_000_000
const EVENTS_PER_RECORD = 1_000
const ROUNDS = 5
const QUICK_ROUNDS = 1

/** Entries of one kind in the state of a processor. */
interface StateCase {
  readonly title: string
  readonly type: string
  readonly options: JsonObject
  readonly entries: number
  /** One entry in words. */
  readonly entry: string
  /** Message of the event that makes an entry, by its number. */
  readonly messageOf: (index: number) => JsonObject
}

const traceId = (index: number) =>
  BigInt.asUintN(128, BigInt(index + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n)

const CASES: readonly StateCase[] = [
  {
    title: 'aggregate, counters',
    type: 'aggregate',
    options: { window: { type: 'tumbling', interval: 60 }, evaluate: { operation: 'SUM' } },
    entries: 20_000,
    entry: 'group',
    messageOf: index => ({
      ...{ name: 'loaves', kind: 'incremental', tags: { oven: String(index) } },
      value: { type: 'counter', value: 1 },
    }),
  },
  {
    title: 'dedupe',
    type: 'dedupe',
    options: { fields: ['.id'] },
    entries: 5_000,
    entry: 'key',
    messageOf: index => ({ id: traceId(index).toString(16) }),
  },
  {
    title: 'trace-sampling',
    type: 'trace-sampling',
    options: { sample_type: 'head', rate: 10 },
    entries: 100_000,
    entry: 'trace',
    messageOf: index => ({ trace_id: traceId(index).toString(16).padStart(32, '0') }),
  },
]

export const summary =
  'The benchmark measures the memory that processors take for what they remember, on the heap and beside it, and the processor time of a snapshot of all of it. Each entry is made by an event of a gateway route. The floor of a snapshot copies its bytes.'

export function run(report: Report, { quick }: BenchmarkOptions): Promise<void> {
  for (const each of CASES) measure(each, quick ? QUICK_ROUNDS : ROUNDS, report)
  return Promise.resolve()
}

function measure({ title, entry, entries, ...filling }: StateCase, rounds: number, report: Report): void {
  // The first run compiles code.
  filled({ ...filling, entries })
  const before = usedBytes()
  const { state, kind } = filled({ ...filling, entries })
  const bytes = (usedBytes() - before) / entries
  report({
    name: `${title}: memory of ${entries.toLocaleString('en')}`,
    unit: `B a ${entry}`,
    values: [bytes],
  })
  const snapshot = finish(kind.snapshot(state))
  const values: number[] = []
  const copies: number[] = []
  for (let round = 0; round < rounds; round++) {
    values.push(1000 * secondsOf(() => finish(kind.snapshot(state))))
    copies.push(1000 * secondsOf(() => Uint8Array.from(snapshot)))
  }
  const floor = { name: `copy of its ${(snapshot.length / 1e6).toFixed(1)} MB`, values: copies }
  report({ name: `${title}: snapshot`, unit: 'ms of CPU', values, floor })
}

function filled({
  type,
  options,
  entries,
  messageOf,
}: Pick<StateCase, 'type' | 'options' | 'entries' | 'messageOf'>) {
  const processor = CATALOGUE.processorOf(type) as Processor
  const { state: kind } = processor
  if (kind === undefined) throw new Error(`${type} remembers nothing`)
  const state = kind.create(1)
  const process = processor.compile(options, () => {}, UNMETERED)
  for (let first = 0; first < entries; first += EVENTS_PER_RECORD) {
    const texts = Array.from({ length: EVENTS_PER_RECORD }, (_, index) =>
      JSON.stringify(messageOf(first + index)),
    )
    for (const event of pushedEvents(texts)) process(event, state, START_MS + first)
  }
  return { state, kind }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use on the heap, and in buffers beside it. */
function usedBytes(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
