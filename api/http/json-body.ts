import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { assertNoneTooLarge, parseBoundedNumbers } from '../../engine/json/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import type { ReceivedBodies } from './bodies/received-bodies.ts'
import { type ApiError, badRequest } from './errors.ts'
import { rememberOrder } from './member-order.ts'

/** Maximum depth, above that of any document of the specification; it limits the cost of recursion over a body. */
const MAX_DEPTH = 64
/** A body of this size is read within a few milliseconds. */
const LARGE_BYTES = 65_536
const OPEN = new Set(['{', '['])
const CLOSE = new Set(['}', ']'])

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses every body as JSON, whatever its content type. An empty body counts as absent (configuration and account API,
 * section 1, rule 7). Clients send the content type even with a DELETE or GET without a body.
 */
export function parseJsonBodies(app: FastifyInstance, bodies: ReceivedBodies): void {
  app.addHook('onRequest', async ({ headers }) => {
    // An empty or damaged content type would be refused before the parser is called.
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json'
  })
  bodies.parseAll(app, async (request, body) => {
    const value = jsonBody(body, request.routeOptions.config.exactMember)
    // Reading a large body takes long, so other requests get a turn before it is parsed.
    if (body.length > LARGE_BYTES) await setImmediate()
    // A schema reports this itself, and points to the error.
    if (request.routeOptions.schema?.body === undefined) assertObjectOrNone(value)
    return value
  })
}

/** @throws ApiError 400 when it is not JSON, not UTF-8 or nested too deeply */
function jsonBody(body: Buffer, exactMember: string | undefined): JsonValue | undefined {
  if (body.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw malformed('it is not UTF-8')
  }
  if (text.trim() === '') return undefined
  try {
    return parseBoundedJson(text, exactMember)
  } catch (cause) {
    throw malformed((cause as Error).message)
  }
}

/**
 * Parses untrusted JSON.
 *
 * @param exactMember member that is parsed like events, if present
 * @throws SyntaxError also when it is nested too deeply
 */
export function parseBoundedJson(text: string, exactMember?: string): JsonValue {
  if (depthOf(text) > MAX_DEPTH) throw new SyntaxError(`it is nested more than ${MAX_DEPTH} levels deep`)
  const value = parseBoundedNumbers(text)
  if (exactMember !== undefined && isJsonObject(value) && Object.hasOwn(value, exactMember))
    value[exactMember] = (parseExactJson(text) as JsonObject)[exactMember] as JsonValue
  assertNoneTooLarge(value, text)
  rememberOrder(text, value)
  return value
}

function malformed(why: string): ApiError {
  return badRequest([{ message: `The body is not valid JSON: ${why}`, key: 'body' }])
}

/** Configuration and account API, section 1, rule 7. It also holds for a body that no handler reads. */
function assertObjectOrNone(value: JsonValue | undefined): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (value !== undefined && !isObject)
    throw badRequest([{ message: 'The body must be a JSON object', key: 'body' }])
}

/** Depth of nesting; brackets inside strings do not count. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (OPEN.has(character)) deepest = Math.max(deepest, ++depth)
    else if (CLOSE.has(character)) depth--
  }
  return deepest
}
