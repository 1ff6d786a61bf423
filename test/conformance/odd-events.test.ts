import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../engine/expressions/expression-budget.ts'
import type { RunContext } from '../../engine/graph/compile-graph.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Processor } from '../../engine/nodes/contract/define-processor.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { pipelineOf, SOURCE, sink, transform } from '../bench/pipeline-nodes.ts'
import { nested, oddMembers } from '../support/odd-values.ts'

const TIME = '2031-03-09T08:15:30.250Z'
/** An event around it has 200 levels. */
const LEVELS = 199
const MEGABYTE = 1_048_576
const KEYS = Array.from(
  { length: 100_000 },
  (_, index) => [`k${index}`, index % 3 === 0 ? 'text' : index] as const,
)

/** Values of each kind that JSON has, and of the sizes that are accepted. */
const VALUES: readonly (readonly [name: string, value: JsonValue])[] = [
  ['an object of 100,000 keys', Object.fromEntries(KEYS)],
  ['200 levels', nested(LEVELS)],
  ['a text of a megabyte', 'é'.repeat(MEGABYTE / 2)],
  ['a megabyte of characters that are escaped', '"'.repeat(MEGABYTE)],
  ['an integer beyond a double', 12345678901234567890123n],
  ['an integer of 300 digits', 10n ** 300n],
  ['a negative zero', -0],
  ['half of a surrogate pair', '\ud800'],
  ['empty names', { '': { '': '' } }],
  ['names that objects have already', parseExactJson(oddMembers([null, true, ['']]))],
  ['null', null],
  ['an empty list', []],
]

/** A graph of one node with the options of the first worked example, which counts all work as an account does. */
class OneNode {
  readonly #graph
  readonly #allowance = new ExpressionAllowance(new ExpressionBudget())
  #nowMs = 0

  constructor({ type, examples: [example] }: Processor) {
    const checked = checkStoredOptions(CATALOGUE.processorOf(type) as Processor, example?.config ?? {})
    if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
    const node = transform('node', type, [SOURCE.id], checked.stored)
    const outputs = CATALOGUE.outputsOf(node).map(({ id }) => id)
    this.#graph = compileGraph(CATALOGUE, pipelineOf([SOURCE, node, { ...sink('out', ''), inputs: outputs }]))
    this.#allowance.countsOptions = true
  }

  get counters() {
    const counters = this.#graph.counters.get('node')
    if (counters === undefined) throw new Error('the node has no counters')
    return counters
  }

  take(event: Event): void {
    this.#nowMs += 1_000
    this.#allowance.begin(this.#nowMs, event.bytes)
    const context: RunContext = {
      nowMs: this.#nowMs,
      place: { record: BigInt(this.#nowMs), text: () => 'place' },
      allowance: this.#allowance,
      deliver: (_sink, events) => {
        // Each destination prints the messages.
        for (const { message } of events) jsonText(message)
        return undefined
      },
      report: () => {},
    }
    this.#graph.run('ingest', [event], context)
  }
}

/** The value as the message, and in place of each member of the message. */
function eventsWith(value: JsonValue, { examples: [example] }: Processor): Event[] {
  const message = example?.steps[0]?.event
  const members = message !== undefined && isJsonObject(message) ? Object.keys(message) : ['line']
  const metadata: JsonObject = { value }
  return [
    Event.of(value, metadata, TIME),
    Event.of(Object.fromEntries(members.map(key => [key, value])), metadata, TIME),
  ]
}

describe.each(CATALOGUE.processors.map(processor => [processor.type, processor] as const))(
  '%s',
  (_, processor) => {
    test.each(VALUES)('takes events with %s, and loses none of them', (_name, value) => {
      const node = new OneNode(processor)
      const events = eventsWith(value, processor)
      for (const event of events) node.take(event)
      const { eventsIn, eventsOut, copied, created, dropped, failed, merged, held } = node.counters
      expect(eventsIn).toBe(events.length)
      expect(eventsOut + dropped + failed + merged + held).toBe(eventsIn + copied + created)
    })
  },
)
