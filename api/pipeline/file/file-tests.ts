import { ERROR_CODES } from '../../../engine/event/errors.ts'
import { type Problem, pointerTo, unknownMember } from '../../../engine/event/problem.ts'
import { canonicalTime } from '../../../engine/times/canonical-time.ts'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import type { ReadNodes } from './file-nodes.ts'
import { fileNameOf, nodeNameIn } from './output-references.ts'
import type { SentFile } from './sent-file.ts'

/** Result that a test expects from a node or an output. */
export interface Expectation {
  readonly messages?: readonly JsonValue[]
  /** Metadata of the events that leave. */
  readonly metadata?: readonly JsonValue[]
  readonly count?: number
  /** Events that the node drops on purpose. */
  readonly dropped?: number
  /** Events that end at the node with an error. */
  readonly failed?: number
  /** Codes of the errors that the node reports, on events that fail and on others. */
  readonly errors?: readonly string[]
}

/** Names that tests can refer to. */
interface Named extends Pick<ReadNodes, 'references' | 'broken'> {
  readonly names: ReadonlySet<string>
  readonly sources: ReadonlySet<string>
}

/** Findings about a member of an expectation, by its name. */
const MEMBER_PROBLEMS: Readonly<Record<keyof Expectation, (value: JsonValue, pointer: string) => Problem[]>> =
  {
    messages: listProblems,
    metadata: (value, pointer) => listProblems(value, pointer, isJsonObject, 'must be object'),
    count: countProblems,
    dropped: countProblems,
    failed: countProblems,
    errors: (value, pointer) => listProblems(value, pointer, isErrorCode, 'must be an error code'),
  }
/** Members about the fate of events at a node, in contrast to the events that leave it. */
const OF_NODES = {
  dropped: 'must be expected of the node, which drops events',
  failed: 'must be expected of the node, at which events fail',
  errors: 'must be expected of the node, which reports errors',
} as const
const TIME_MESSAGE = 'must be an RFC 3339 time or UNIX milliseconds'

/** Returns the findings about the tests of a file that its schema cannot report. */
export function testProblems(sent: SentFile, { nodes, references, broken }: ReadNodes): Problem[] {
  const read = {
    names: new Set(nodes.map(fileNameOf)),
    sources: new Set(nodes.filter(({ kind }) => kind === 'source').map(fileNameOf)),
    references,
    broken,
  }
  return sent.list('tests').flatMap((test, index) => {
    const pointer = `/tests/${index}`
    if (!isJsonObject(test) || sent.isFoundAt(pointer)) return []
    const events = (test.events as JsonValue[]).flatMap((event, at) =>
      isJsonObject(event) ? eventProblems(event, `${pointer}/events/${at}`, read) : [],
    )
    const expectations = Object.entries(test.expect as object).flatMap(([reference, expected]) =>
      expectationProblems(reference, expected, pointerTo(`${pointer}/expect`, reference), read),
    )
    return [...events, ...expectations]
  })
}

/** Expands an expectation: an array alone stands for the messages. */
export function expectationOf(expected: JsonValue): Expectation {
  return Array.isArray(expected) ? { messages: expected } : (expected as Expectation)
}

/** @returns the canonical form; undefined when the value is not a time */
export function timeOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return canonicalTime(value)
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? undefined : canonicalTime(moment.toISOString())
}

function eventProblems(
  { source, at, timestamp }: { readonly [member: string]: JsonValue },
  pointer: string,
  { sources, broken }: Named,
): Problem[] {
  const problems: Problem[] = []
  if (source === undefined && sources.size !== 1)
    problems.push({ instancePath: pointer, message: "must have required property 'source'" })
  if (source !== undefined && !sources.has(String(source)) && !broken.has(String(source)))
    problems.push({ instancePath: `${pointer}/source`, message: 'must be the name of a source of the file' })
  for (const [member, value] of Object.entries({ at, timestamp }))
    if (value !== undefined && timeOf(value) === undefined)
      problems.push({ instancePath: `${pointer}/${member}`, message: TIME_MESSAGE })
  return problems
}

function expectationProblems(
  reference: string,
  expected: JsonValue,
  pointer: string,
  { names, references, broken }: Named,
): Problem[] {
  const problems: Problem[] = []
  const isNode = names.has(reference)
  if (!isNode && !broken.has(nodeNameIn(reference))) {
    const message = references.problemOf(reference)
    if (message !== undefined) problems.push({ instancePath: pointer, message })
  }
  if (Array.isArray(expected)) return problems
  if (!isJsonObject(expected))
    return [...problems, { instancePath: pointer, message: 'must be array or object' }]
  if (Object.keys(expected).length === 0)
    problems.push({ instancePath: pointer, message: 'must NOT have fewer than 1 properties' })
  for (const [member, value] of Object.entries(expected)) {
    const instancePath = pointerTo(pointer, member)
    if (!Object.hasOwn(MEMBER_PROBLEMS, member)) {
      const message = unknownMember(member, Object.keys(MEMBER_PROBLEMS), 'the expectation')
      problems.push({ instancePath: pointer, message })
      continue
    }
    const found = MEMBER_PROBLEMS[member as keyof Expectation](value, instancePath)
    if (found.length === 0 && !isNode && Object.hasOwn(OF_NODES, member))
      found.push({ instancePath, message: OF_NODES[member as keyof typeof OF_NODES] })
    problems.push(...found)
  }
  return problems
}

function countProblems(value: JsonValue, instancePath: string): Problem[] {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return []
  return [{ instancePath, message: 'must be integer >= 0' }]
}

function listProblems(
  value: JsonValue,
  instancePath: string,
  isItem: (item: JsonValue) => boolean = () => true,
  message = '',
): Problem[] {
  if (!Array.isArray(value)) return [{ instancePath, message: 'must be array' }]
  return value.flatMap((item, index) =>
    isItem(item) ? [] : [{ instancePath: pointerTo(instancePath, index), message }],
  )
}

function isErrorCode(value: JsonValue): boolean {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value)
}
