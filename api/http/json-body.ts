import type { FastifyInstance } from 'fastify'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import {
  JsonBoundError,
  type JsonBounds,
  type PieceOf,
  type PieceReader,
  parsingJson,
} from '../../engine/json/json-in-steps.ts'
import { assertNoneTooLarge, parseBoundedNumbers } from '../../engine/json/json-text.ts'
import { MAX_EVENT_MEMBERS, MAX_MESSAGE_LEVELS } from '../../engine/json/message-levels.ts'
import { entriesOf, orderedObject } from '../../engine/json/ordered-object.ts'
import { finish, type Steps } from '../../engine/steps.ts'
import { inTurns, type LoopTurns } from '../../engine/turns/loop-turns.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import type { ReceivedBodies } from './bodies/received-bodies.ts'
import { type ApiError, badRequest } from './errors.ts'
import { orderedAsSent, rememberOrder, sentEntries } from './member-order.ts'

/** Maximum depth, above that of any document of the specification; it limits the cost of recursion over a body. */
const MAX_DEPTH = 64
/** Maximum number of members of one object. Objects with many take long at every later step. (Our choice.) */
const MAX_MEMBERS = 10_000
/** Bounds of a member with events, which is a list of events or of objects that contain one. */
const EVENT_BOUNDS: JsonBounds = { maxDepth: MAX_MESSAGE_LEVELS + 3, maxMembers: MAX_EVENT_MEMBERS }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses every body as JSON, whatever its content type. An empty body counts as absent (configuration and account API,
 * section 1, rule 7). Clients send the content type even with a DELETE or GET without a body.
 */
export function parseJsonBodies(app: FastifyInstance, bodies: ReceivedBodies, turns: LoopTurns): void {
  app.addHook('onRequest', async ({ headers }) => {
    // An empty or damaged content type would be refused before the parser is called.
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json'
  })
  bodies.parseAll(app, async (request, body) => {
    const { exactMember, maxBodyBytes } = request.routeOptions.config
    if (maxBodyBytes !== undefined && body.length > maxBodyBytes) throw tooLong(maxBodyBytes)
    const value = await inTurns(parsingBody(body, exactMember), turns.begin())
    // A schema reports this itself, and points to the error.
    if (request.routeOptions.schema?.body === undefined) assertObjectOrNone(value)
    return value
  })
}

/** @throws ApiError 400 when it is not JSON, not UTF-8 or nested too deeply */
function* parsingBody(body: Buffer, exactMember: string | undefined): Steps<JsonValue | undefined> {
  if (body.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    throw malformed('it is not UTF-8')
  }
  if (text.trim() === '') return undefined
  try {
    return yield* parsingBoundedJson(text, exactMember)
  } catch (cause) {
    if (cause instanceof JsonBoundError) throw beyondBound(cause.message)
    if (!(cause instanceof SyntaxError)) throw cause
    throw malformed(cause.message)
  }
}

/**
 * Parses untrusted JSON.
 *
 * @param exactMember member that is parsed like events, if present
 * @throws SyntaxError also when it is nested too deeply, or an object has too many members
 */
export function parseBoundedJson(text: string, exactMember?: string): JsonValue {
  return finish(parsingBoundedJson(text, exactMember))
}

function* parsingBoundedJson(text: string, exactMember: string | undefined): Steps<JsonValue> {
  const reader: PieceReader = {
    maxDepth: MAX_DEPTH,
    maxMembers: MAX_MEMBERS,
    exactMember,
    exactBounds: EVENT_BOUNDS,
    read: (piece, place) => readPiece(piece, place, exactMember),
    entries: (object, place) => (place === 'exact member' ? entriesOf(object) : sentEntries(object)),
    object: (entries, place) => (place === 'exact member' ? orderedObject(entries) : orderedAsSent(entries)),
  }
  return yield* parsingJson(text, reader)
}

/** @throws SyntaxError */
function readPiece(text: string, place: PieceOf, exactMember: string | undefined): JsonValue {
  if (place === 'exact member') return parseExactJson(text)
  const value = parseBoundedNumbers(text)
  const isExact = place === 'outermost' && exactMember !== undefined
  if (isExact && isJsonObject(value) && Object.hasOwn(value, exactMember))
    value[exactMember] = (parseExactJson(text) as JsonObject)[exactMember] as JsonValue
  assertNoneTooLarge(value, text)
  rememberOrder(text, value)
  return value
}

function malformed(why: string): ApiError {
  return badRequest([{ message: `The body is not valid JSON: ${why}`, key: 'body' }])
}

function beyondBound(why: string): ApiError {
  return badRequest([{ message: `The body is not accepted: ${why}`, key: 'body' }])
}

function tooLong(bytes: number): ApiError {
  return badRequest([{ message: `The body must be at most ${bytes} bytes long`, key: 'body' }])
}

/** Configuration and account API, section 1, rule 7. It also holds for a body that no handler reads. */
function assertObjectOrNone(value: JsonValue | undefined): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (value !== undefined && !isObject)
    throw badRequest([{ message: 'The body must be a JSON object', key: 'body' }])
}
