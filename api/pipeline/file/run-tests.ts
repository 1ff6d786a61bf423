import { Event } from '../../../engine/event/event.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import { checkGraph } from '../../../engine/graph/check-graph.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import {
  type SimulatedEvent,
  type SimulatedNode,
  simulate,
} from '../../../engine/replay/preview/simulation.ts'
import type { FileEvent, FileTest } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { jsonDifferences } from '../revisions/json-difference.ts'
import { documentNodes } from '../revisions/revision.ts'
import { memberLine } from '../revisions/revision-diff.ts'
import type { FileContent } from './file-content.ts'
import { pointerInFile } from './file-nodes.ts'
import { expectationOf, timeOf } from './file-tests.ts'
import { fileNameOf } from './output-references.ts'

/** Time of events that a test gives without a time. */
const USUAL_TIME = '2026-01-01T00:00:00Z'

export interface TestResult {
  readonly name: string
  /** Lines for people to read; none when everything is as expected. */
  readonly differences: readonly string[]
}

/** Reasons why the nodes of a file cannot run. */
export function runProblems(catalogue: Catalogue, content: FileContent): Problem[] {
  return checkGraph(catalogue, content, { allowUnconnected: true }).map(
    ({ nodeId, instancePath, message }) => ({
      instancePath: pointerInFile(content, nodeId, instancePath) ?? '',
      message,
    }),
  )
}

/** Runs each test of a file on a graph of its own. Without clock and chance, a test always gives the same result. */
export function runTests(catalogue: Catalogue, content: FileContent): TestResult[] {
  return content.tests.map(test => ({
    name: test.name,
    differences: differencesOf(catalogue, test, content),
  }))
}

function differencesOf(catalogue: Catalogue, test: FileTest, content: FileContent): string[] {
  const { title, nodes, references } = content
  const document = { id: '', accountId: '', title, revision: 1, nodes: documentNodes(nodes) }
  const samples = test.events.map(event => sampleOf(event, content))
  const bounds = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY }
  const simulated = new Map(simulate(catalogue, document, samples, bounds).nodes.map(node => [node.id, node]))
  return Object.entries(test.expect).flatMap(([reference, sent]) => {
    const whole = nodes.find(node => fileNameOf(node) === reference)
    const output = whole === undefined ? references.named(reference) : undefined
    const node = simulated.get((whole ?? output?.node)?.id ?? '')
    if (node === undefined) throw new RangeError(`"${reference}" is not an output`)
    const { messages, metadata, count, dropped, failed, errors } = expectationOf(sent)
    const left = leftBy(node, output?.output).map(({ event }) => event)
    const list = (what: string, expected: readonly JsonValue[] | undefined, came: readonly JsonValue[]) =>
      expected === undefined ? [] : listLines(`${reference}: ${what}`, expected, came)
    return [
      ...countLines(reference, count ?? messages?.length ?? metadata?.length, left.length, 'events'),
      ...countLines(reference, dropped, node.dropped.length, 'dropped events'),
      ...countLines(reference, failed, node.failed.length, 'failed events'),
      ...list(
        'messages',
        messages,
        left.map(event => event.message),
      ),
      ...list(
        'metadata',
        metadata,
        left.map(event => event.metadata),
      ),
      ...list(
        'errors',
        errors,
        node.errors.map(({ code }) => code),
      ),
    ]
  })
}

function sampleOf(
  { source, at = USUAL_TIME, message, metadata = {}, annotations, timestamp = at }: FileEvent,
  { nodes }: FileContent,
) {
  const sources = nodes.filter(({ kind }) => kind === 'source')
  const entered = sources.find(node => source === undefined || fileNameOf(node) === source)
  return {
    event: Event.of(message, metadata, timeOf(timestamp) ?? USUAL_TIME).withAnnotations(annotations),
    timeMs: Date.parse(timeOf(at) ?? USUAL_TIME),
    source: entered?.id ?? '',
  }
}

/** Events that left by one output, or by all of them, in order. */
function leftBy({ outputs }: SimulatedNode, output: string | undefined): readonly SimulatedEvent[] {
  if (output !== undefined) return outputs.get(output) ?? []
  return [...outputs.values()].flat().sort((a, b) => a.order - b.order)
}

function countLines(reference: string, expected: number | undefined, came: number, what: string): string[] {
  if (expected === undefined || expected === came) return []
  return [`${reference}: ${came} ${what} instead of ${expected}`]
}

/** Compares values one by one: a changed one, a missing one (-) and an unexpected one (+). */
function listLines(title: string, expected: readonly JsonValue[], came: readonly JsonValue[]): string[] {
  const differences = jsonDifferences(byPosition(expected), byPosition(came))
  if (differences.length === 0) return []
  return [title, ...differences.map(difference => `  ${memberLine(difference)}`)]
}

/** Turns a list into an object, so that lists of different lengths are compared value by value. */
function byPosition(values: readonly JsonValue[]): JsonObject {
  return Object.fromEntries(values.entries())
}
