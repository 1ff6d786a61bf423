import { checkCondition, compileCondition } from '../../../engine/conditions/condition.ts'
import type { Event } from '../../../engine/event/event.ts'
import { type Problem, pointerTo, unknownMember } from '../../../engine/event/problem.ts'
import { type EventMeter, freeMeter } from '../../../engine/expressions/cost-meter.ts'
import { parseJson } from '../../../engine/json/json-text.ts'
import { TAP_LIMIT, TAP_SECONDS, TapQuery } from '../../../schemas/http/pipeline/tap-api.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'

/** Options of a tap, as requested. */
export interface TapWishes {
  /** Id of an output, not checked yet. */
  readonly output: string | undefined
  readonly limit: number
  readonly seconds: number
  readonly filter: (event: Event) => boolean
  /** Counts the cost of the filter. */
  readonly meter: EventMeter
}

/** Reads any query of a tap, with all findings at once. */
export function readTapQuery(query: Readonly<Record<string, unknown>>): {
  readonly wishes: TapWishes
  readonly problems: readonly Problem[]
} {
  const problems: Problem[] = []
  const known = Object.keys(TapQuery.properties)
  const unknown = Object.keys(query).find(name => !known.includes(name))
  if (unknown !== undefined)
    problems.push({ instancePath: '', message: unknownMember(unknown, known, 'the tap') })
  const text = (name: keyof typeof TapQuery.properties) => {
    const value = query[name]
    if (value === undefined || typeof value === 'string') return value
    problems.push({ instancePath: pointerTo('', name), message: 'must NOT be given more than once' })
    return undefined
  }
  const integer = (name: 'limit' | 'seconds', bounds: typeof TAP_LIMIT) => {
    const sent = text(name)
    if (sent === undefined) return bounds.default
    const message = integerProblem(sent, bounds)
    if (message !== undefined) problems.push({ instancePath: pointerTo('', name), message })
    return Number(sent)
  }
  const meter = freeMeter()
  const wishes = {
    output: text('output'),
    limit: integer('limit', TAP_LIMIT),
    seconds: integer('seconds', TAP_SECONDS),
    filter: filterOf(text('filter'), problems, meter),
    meter,
  }
  return { wishes, problems }
}

function integerProblem(text: string, { minimum, maximum }: typeof TAP_LIMIT): string | undefined {
  if (!/^-?\d+$/.test(text)) return 'must be integer'
  const value = Number(text)
  if (value < minimum) return `must be >= ${minimum}`
  return value > maximum ? `must be <= ${maximum}` : undefined
}

function filterOf(
  text: string | undefined,
  problems: Problem[],
  meter: EventMeter,
): (event: Event) => boolean {
  const any = () => true
  if (text === undefined) return any
  let sent: JsonValue
  try {
    sent = parseJson(text)
  } catch {
    problems.push({ instancePath: '/filter', message: 'must be JSON' })
    return any
  }
  const { stored, problems: found } = checkCondition(sent)
  for (const { instancePath, message } of found)
    problems.push({ instancePath: `/filter${instancePath}`, message })
  return found.length > 0 ? any : compileCondition(stored as JsonObject, () => {}, meter)
}
