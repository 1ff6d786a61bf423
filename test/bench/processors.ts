import { Event } from '../../engine/event/event.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import { type CompiledGraph, compileGraph } from '../../engine/graph/compile-graph.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { pipelineOf, SOURCE, sink, transform } from './pipeline-nodes.ts'
import { type Floor, PROCESSOR_CASES, type ProcessorCase } from './processor-cases.ts'
import { secondsOf } from './processor-time.ts'

const EVENTS = 24_000
const EVENTS_PER_RECORD = 1_000
const ROUNDS = 8
const WARM_UP_ROUNDS = 5
const QUICK_ROUNDS = 2
/** Least processor time of a round. Its events pass as often as that takes, because making others would take longer than the round. */
const ROUND_SECONDS = 0.3
/** Log time between two records: a hundred thousand events a second. */
const RECORD_STEP_MS = 10
/** Shared part of the places of events. */
const PLACE = ['log', '5a52e2a3-6f0b-4bb4-a4f1-2f0a8b3f9d10', 'weir.ingest', 3, 'a6c3b1f0']
const TIMESTAMP = '2031-03-09T08:15:30.250Z'

export const summary =
  'The benchmark measures the events per second of processor time of one thread through one processor each, in a graph with a source and a sink, under the budget of an account. Events of about 300 bytes are already parsed; the floor parses and prints the JSON of the same event unless another is named, and runs in the same rounds.'

export function run(report: Report, { quick }: BenchmarkOptions): Promise<void> {
  for (const each of PROCESSOR_CASES)
    measure(each, quick ? QUICK_ROUNDS : ROUNDS, quick ? 0 : ROUND_SECONDS, report)
  return Promise.resolve()
}

function measure(each: ProcessorCase, rounds: number, roundSeconds: number, report: Report): void {
  const runner = new Runner(each)
  const { floor = PARSE_AND_PRINT } = each
  const events = new Repeated(roundSeconds)
  const floors = new Repeated(roundSeconds)
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const first = round * EVENTS
    const messages = Array.from({ length: EVENTS }, (_, index) => each.messageOf(first + index))
    const texts = messages.map(floor.textOf)
    const made = messages.map(message => Event.of(JSON.parse(JSON.stringify(message)), {}, TIMESTAMP))
    // The walk over a body gives the size of each event, so they are measured before the clock starts.
    for (const event of made) void event.bytes
    const isMeasured = round >= WARM_UP_ROUNDS
    events.measure(isMeasured, () => runner.run(made))
    floors.measure(isMeasured, () => {
      for (const text of texts) floor.work(text)
    })
  }
  const left = runner.left / (EVENTS * events.passes)
  if (Math.abs(left - each.leaves) > 0.01) throw new Error(`${each.title}: ${left} of the events left it`)
  report({
    ...{ name: each.title, unit: 'events per CPU-s', values: events.values },
    floor: { name: floor.name, values: floors.values },
  })
}

/** Rounds of one work on all events, each as many passes as take long enough. */
class Repeated {
  /** Events per second, of each round that counts. */
  readonly values: number[] = []
  /** Passes so far, also those of the warm-up. */
  passes = 0
  readonly #roundSeconds: number
  #passSeconds = Number.POSITIVE_INFINITY

  constructor(roundSeconds: number) {
    this.#roundSeconds = roundSeconds
  }

  /** @param counts false: it is a pass of the warm-up, which tells how long passes take */
  measure(counts: boolean, pass: () => void): void {
    const passes = counts ? Math.max(1, Math.ceil(this.#roundSeconds / this.#passSeconds)) : 1
    const seconds = secondsOf(() => {
      for (let each = 0; each < passes; each++) pass()
    })
    this.passes += passes
    if (counts) this.values.push((EVENTS * passes) / seconds)
    else this.#passSeconds = Math.min(this.#passSeconds, seconds)
  }
}

const PARSE_AND_PRINT: Floor = {
  name: 'JSON.parse and JSON.stringify of the event',
  textOf: message => JSON.stringify(message),
  work: text => JSON.stringify(JSON.parse(text)),
}

/** A graph and its state, which records of events go through. */
class Runner {
  /** Events that have left so far. */
  left = 0
  readonly #graph: CompiledGraph
  readonly #allowance = new ExpressionAllowance(new ExpressionBudget())
  readonly #pauseMs: number
  #nowMs = 0
  #records = 0

  constructor({ chain, pauseMs = 0 }: ProcessorCase) {
    this.#pauseMs = pauseMs
    this.#allowance.countsOptions = true
    const nodes = chain.map(([type, options], index) =>
      transform(`n${index}`, type, [index === 0 ? SOURCE.id : `n${index - 1}`], storedOptions(type, options)),
    )
    const last = `n${chain.length - 1}`
    this.#graph = compileGraph(CATALOGUE, pipelineOf([SOURCE, ...nodes, sink('out', last)]))
  }

  run(events: readonly Event[]): void {
    this.#nowMs += this.#pauseMs
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
