import { Event } from '../../engine/event/event.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import { type CompiledGraph, compileGraph } from '../../engine/graph/compile-graph.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { pipelineOf, SOURCE, sink, transform } from './pipeline-nodes.ts'
import { PROCESSOR_CASES, type ProcessorCase } from './processor-cases.ts'
import { secondsOf } from './processor-time.ts'

const EVENTS = 24_000
const EVENTS_PER_RECORD = 1_000
const ROUNDS = 12
const WARM_UP_ROUNDS = 5
const QUICK_ROUNDS = 2
/** Log time between two records: a hundred thousand events a second. */
const RECORD_STEP_MS = 10
/** Shared part of the places of events. */
const PLACE = ['log', '5a52e2a3-6f0b-4bb4-a4f1-2f0a8b3f9d10', 'weir.ingest', 3, 'a6c3b1f0']
const TIMESTAMP = '2031-03-09T08:15:30.250Z'

export const summary =
  'Events per second of processor time of one thread through one processor each, in a graph with a source and a sink, under the budget of an account. Events of about 300 bytes are already parsed; the floor parses and prints the JSON of the same event, and runs in the same rounds.'

export function run(report: Report, { quick }: BenchmarkOptions): Promise<void> {
  for (const each of PROCESSOR_CASES) measure(each, quick ? QUICK_ROUNDS : ROUNDS, report)
  return Promise.resolve()
}

function measure(each: ProcessorCase, rounds: number, report: Report): void {
  const runner = new Runner(each)
  const values: number[] = []
  const floors: number[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const first = round * EVENTS
    const texts = Array.from({ length: EVENTS }, (_, index) => JSON.stringify(each.messageOf(first + index)))
    const events = texts.map(text => Event.of(JSON.parse(text), {}, TIMESTAMP))
    // The walk over a body gives the size of each event, so they are measured before the clock starts.
    for (const event of events) void event.bytes
    const seconds = secondsOf(() => runner.run(events))
    const floorSeconds = secondsOf(() => {
      for (const text of texts) JSON.stringify(JSON.parse(text))
    })
    if (round < WARM_UP_ROUNDS) continue
    values.push(EVENTS / seconds)
    floors.push(EVENTS / floorSeconds)
  }
  const left = runner.left / (EVENTS * (WARM_UP_ROUNDS + rounds))
  if (Math.abs(left - each.leaves) > 0.01) throw new Error(`${each.title}: ${left} of the events left it`)
  const floor = { name: 'JSON.parse and JSON.stringify of the event', values: floors }
  report({ name: each.title, unit: 'events per CPU-s', values, floor })
}

/** A graph and its state, which records of events go through. */
class Runner {
  /** Events that have left so far. */
  left = 0
  readonly #graph: CompiledGraph
  readonly #allowance = new ExpressionAllowance(new ExpressionBudget())
  #nowMs = 0
  #records = 0

  constructor({ chain }: ProcessorCase) {
    this.#allowance.countsOptions = true
    const nodes = chain.map(([type, options], index) =>
      transform(`n${index}`, type, [index === 0 ? SOURCE.id : `n${index - 1}`], storedOptions(type, options)),
    )
    const last = `n${chain.length - 1}`
    this.#graph = compileGraph(CATALOGUE, pipelineOf([SOURCE, ...nodes, sink('out', last)]))
  }

  run(events: readonly Event[]): void {
    for (let from = 0; from < events.length; from += EVENTS_PER_RECORD) {
      this.#nowMs += RECORD_STEP_MS
      this.#allowance.begin(this.#nowMs, EVENTS_PER_RECORD * 300)
      const record = BigInt(++this.#records)
      this.#graph.run('ingest', events.slice(from, from + EVENTS_PER_RECORD), {
        nowMs: this.#nowMs,
        place: { record, text: () => JSON.stringify([...PLACE, String(record)]) },
        allowance: this.#allowance,
        deliver: (_sink, delivered) => {
          this.left += delivered.length
          return undefined
        },
        report: ({ code }) => {
          throw new Error(code)
        },
      })
    }
  }
}

function storedOptions(type: string, options: JsonObject): JsonObject {
  const processor = CATALOGUE.processorOf(type)
  if (processor === undefined) throw new Error(`there is no processor ${type}`)
  const checked = checkStoredOptions(processor, options)
  if ('problems' in checked) throw new Error(`${type}: ${JSON.stringify(checked.problems)}`)
  return checked.stored
}
