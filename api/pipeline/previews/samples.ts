import { Event } from '../../../engine/event/event.ts'
import type { Problem } from '../../../engine/event/problem.ts'
import { parseExactJson } from '../../../engine/json/exact-json.ts'
import { JsonBoundError, type PieceReader, parsingJson } from '../../../engine/json/json-in-steps.ts'
import { MAX_EVENT_MEMBERS, MAX_MESSAGE_LEVELS } from '../../../engine/json/message-levels.ts'
import { orderedObject } from '../../../engine/json/ordered-object.ts'
import type { Sample } from '../../../engine/replay/preview/simulation.ts'
import type { Steps } from '../../../engine/steps.ts'
import { canonicalTime } from '../../../engine/times/canonical-time.ts'
import { canonicalTimeOf } from '../../../engine/times/instant.ts'
import { MAX_SAMPLES, type SimulationRequest } from '../../../schemas/http/pipeline/simulation-api.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { ProblemsError } from '../../http/problems-error.ts'

const ENVELOPE_MEMBERS: readonly string[] = [
  'message',
  'metadata',
  'timestamp',
  'annotations',
  'at',
  'source',
]
/** Bounds of samples in a text, in which a list and an object may be around each event. */
const READER: PieceReader = {
  maxDepth: MAX_MESSAGE_LEVELS + 2,
  maxMembers: MAX_EVENT_MEMBERS,
  read: parseExactJson,
  object: orderedObject,
}
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i

/** Fraction digits beyond the ninth. */
const BEYOND_NANOSECONDS = /(?<=\.\d{9})\d+/

export interface SampleDefaults {
  /** Ids of the pipeline's sources, by name. */
  readonly sources: ReadonlyMap<string, string>
  /** Source of the samples that do not name one. */
  readonly source: string | undefined
  /** Time of samples without a time, UNIX ms. */
  readonly nowMs: number
}

/**
 * Reads the samples of a simulation (components, section 8.4) in steps.
 *
 * @throws ProblemsError with every finding
 */
export function* readingSamples(
  { samples: sent, format = 'auto' }: Pick<SimulationRequest, 'samples' | 'format'>,
  defaults: SampleDefaults,
): Steps<Sample[]> {
  const values = typeof sent === 'string' ? yield* valuesOf(sent, format) : (sent as readonly JsonValue[])
  if (values.length > MAX_SAMPLES)
    throw new ProblemsError([
      { instancePath: '/samples', message: `must NOT have more than ${MAX_SAMPLES} items` },
    ])
  const { source, sources } = defaults
  const problems: Problem[] =
    source === undefined || sources.has(source)
      ? []
      : [{ instancePath: '/source', message: noSuchSource(sources) }]
  const samples: Sample[] = []
  for (const [index, value] of values.entries()) {
    samples.push(sampleOf(value, `/samples/${index}`, defaults, problems))
    yield
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  return samples
}

function* valuesOf(
  text: string,
  format: NonNullable<SimulationRequest['format']>,
): Steps<readonly JsonValue[]> {
  switch (format) {
    case 'json':
      return (yield* wholeJson(text, false)) ?? refuse('must be JSON')
    case 'ndjson':
      return (yield* jsonLines(text, false)) ?? refuse('must be JSON on every line')
    case 'text':
      return linesOf(text)
    case 'auto':
      return (yield* wholeJson(text, true)) ?? (yield* jsonLines(text, true)) ?? linesOf(text)
  }
}

function refuse(message: string): never {
  throw new ProblemsError([{ instancePath: '/samples', message }])
}

function* wholeJson(text: string, mayBeText: boolean): Steps<readonly JsonValue[] | undefined> {
  const value = yield* jsonOf(text, mayBeText)
  return value === undefined || Array.isArray(value) ? value : [value]
}

function* jsonLines(text: string, mayBeText: boolean): Steps<readonly JsonValue[] | undefined> {
  const values: JsonValue[] = []
  for (const line of linesOf(text)) {
    const value = yield* jsonOf(line, mayBeText)
    if (value === undefined) return undefined
    values.push(value)
    yield
  }
  return values
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter(line => line.trim() !== '')
}

/** @throws ProblemsError for JSON that exceeds a bound, unless the text may be of another form */
function* jsonOf(text: string, mayBeText: boolean): Steps<JsonValue | undefined> {
  try {
    return yield* parsingJson(text, READER)
  } catch (error) {
    if (error instanceof JsonBoundError && !mayBeText) refuse(`is not accepted: ${error.message}`)
    return undefined
  }
}

function sampleOf(
  value: JsonValue,
  path: string,
  { sources, source: usual, nowMs }: SampleDefaults,
  problems: Problem[],
): Sample {
  const envelope = isEnvelope(value) ? value : { message: value }
  const report = (member: string, message: string) =>
    problems.push({ instancePath: member === '' ? path : `${path}/${member}`, message })
  const now = canonicalTimeOf({ epochMs: nowMs, nanos: 0 })
  const { message, metadata = {}, annotations, timestamp, at = timestamp, source = usual } = envelope
  const isBare = envelope !== value
  for (const [member, part] of Object.entries({ message, metadata, annotations }))
    if (part !== undefined && isNestedBeyond(part, MAX_MESSAGE_LEVELS))
      report(isBare ? '' : member, `must NOT be nested more than ${MAX_MESSAGE_LEVELS} levels deep`)
  if (!isJsonObject(metadata)) report('metadata', 'must be object')
  if (annotations !== undefined && !isJsonObject(annotations)) report('annotations', 'must be object')
  const eventTime = timestamp === undefined ? now : eventTimeOf(timestamp)
  if (eventTime === undefined) report('timestamp', 'must be a time as in RFC 3339')
  const timeMs = at === undefined ? nowMs : instantOf(at)
  if (timeMs === undefined) report('at', 'must be a time as in RFC 3339, or UNIX milliseconds')
  const sourceId = typeof source === 'string' ? sources.get(source) : undefined
  if (source === undefined) report('source', `must name a source: ${sourcesIn(sources)}`)
  // A default source that does not exist is reported once for all samples.
  else if (sourceId === undefined && envelope.source !== undefined) report('source', noSuchSource(sources))
  const event = Event.of(message as JsonValue, isJsonObject(metadata) ? metadata : {}, eventTime ?? now)
  return {
    event: event.withAnnotations(isJsonObject(annotations) ? annotations : undefined),
    timeMs: timeMs ?? nowMs,
    source: sourceId ?? '',
  }
}

/** Whether a value has more than that many arrays and objects within one another. */
function isNestedBeyond(value: JsonValue, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some(element => isNestedBeyond(element, levels - 1))
  if (!isJsonObject(value)) return false
  if (levels === 0) return true
  for (const key in value) if (isNestedBeyond(value[key] as JsonValue, levels - 1)) return true
  return false
}

function noSuchSource(sources: SampleDefaults['sources']): string {
  return `must be a source: ${sourcesIn(sources)}`
}

function sourcesIn(sources: SampleDefaults['sources']): string {
  return `the pipeline has ${sources.size === 0 ? 'none' : [...sources.keys()].join(', ')}`
}

function isEnvelope(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || value.message === undefined) return false
  const members = Object.keys(value)
  return members.length > 1 && members.every(member => ENVELOPE_MEMBERS.includes(member))
}

/** Canonical form of a time, with its nanoseconds; finer digits are cut. */
function eventTimeOf(value: JsonValue): string | undefined {
  if (typeof value !== 'string' || !RFC_3339.test(value)) return undefined
  return canonicalTime(value.replace(BEYOND_NANOSECONDS, ''))
}

function instantOf(value: JsonValue): number | undefined {
  const ms = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : value
  return typeof ms === 'number' && Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : undefined
}
