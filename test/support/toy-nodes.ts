import Type from 'typebox'
import type { Event } from '../../engine/event/event.ts'
import { jsonText, parseJson } from '../../engine/json/json-text.ts'
import { declareDestination, defineDestination } from '../../engine/nodes/contract/define-destination.ts'
import { declareProcessor } from '../../engine/nodes/contract/define-processor.ts'
import { definePullSource } from '../../engine/nodes/contract/define-pull-source.ts'
import { definePushSource } from '../../engine/nodes/contract/define-push-source.ts'
import { declareSource } from '../../engine/nodes/contract/define-source.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'

/**
 * Nodes that use all parts of their contracts. Nodes of the program use some parts only later, so these show that the
 * contracts can be kept. The suites of test/conformance run over them, too.
 */

const DEPOT = { path: '/north', query: { shift: 'night' } }

/** A push source with keys, paths and answers of its own. */
export const parcels = definePushSource({
  type: 'parcels',
  summary: 'Parcels that a depot reports.',
  config: Type.Object({}, { additionalProperties: false }),
  entrance: 'gateway',
  keys: [
    { header: 'x-depot-key' },
    { header: 'authorization', scheme: 'basic' },
    { header: 'authorization', scheme: 'depot' },
    { parameter: 'depot_key' },
  ],
  errors: ['E_EVENT_NOT_JSON'],
  keepsMetadata: () => true,

  *decode({ head, body }) {
    yield
    const text = Buffer.from(body).toString()
    const parcel = parsed(text)
    if (parcel === undefined)
      return { refusal: { code: 'E_EVENT_NOT_JSON', field: '1', message: 'A parcel is JSON' } }
    const { path, query, headers } = head
    const message = jsonText({ parcel, path, query: openValues(query), headers: openValues(headers) })
    return { messages: [message], reply: { status: 202, contentType: 'text/plain', body: `taken ${path}` } }
  },

  refusedReply: ({ status, code, field, hasKey }, { path }) => ({
    status: status === 401 && hasKey ? 403 : status,
    body: { fault: code, at: field, path },
  }),

  examples: [
    {
      title: 'path and query are part of the message',
      config: {},
      head: DEPOT,
      body: '{"kg":3}',
      messages: [{ parcel: { kg: 3 }, path: '/north', query: { shift: 'night' }, headers: {} }],
      reply: { status: 202, contentType: 'text/plain', body: 'taken /north' },
    },
    {
      title: 'a parcel that is not JSON is refused in the form of the depot',
      config: {},
      head: DEPOT,
      body: 'kg=3',
      refused: ['E_EVENT_NOT_JSON', '1'],
      reply: { status: 400, body: { fault: 'E_EVENT_NOT_JSON', at: '1', path: '/north' } },
    },
  ],
  configs: [{ sent: {} }],
})

function openValues(values: Readonly<Record<string, string | readonly string[] | undefined>>): JsonObject {
  return parseJson(JSON.stringify(values)) as JsonObject
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Another system with numbered notes. */
export interface Shelf {
  /** Notes behind a number; waits until there is one. */
  notesBehind(number: number, signal: AbortSignal): Promise<readonly string[]>
  /** Removes the notes up to a number. */
  removeTo(number: number): Promise<void>
}

/** A pull source whose position is the number of the last note of a batch. */
export const notes = definePullSource({
  type: 'notes',
  summary: 'Notes on a shelf.',
  config: Type.Object(
    { at_once: Type.Optional(Type.Integer({ minimum: 1, default: 2, description: 'Notes in a batch' })) },
    { additionalProperties: false },
  ),
  entrance: 'pull',
  errors: ['E_EVENT_NOT_JSON'],

  open(shelf: Shelf, { at_once: atOnce = 2 }, from: number | undefined) {
    async function* batches(signal: AbortSignal) {
      let position = from ?? 0
      while (!signal.aborted) {
        const sent = (await shelf.notesBehind(position, signal)).slice(0, atOnce)
        if (sent.length === 0) return
        const first = position + 1
        position += sent.length
        yield {
          messages: sent.filter(text => parsed(text) !== undefined),
          refusals: sent.flatMap((text, index) =>
            parsed(text) === undefined
              ? [
                  {
                    code: 'E_EVENT_NOT_JSON' as const,
                    field: String(first + index),
                    message: 'A note is JSON',
                  },
                ]
              : [],
          ),
          position,
        }
      }
    }
    return { batches, acknowledge: position => shelf.removeTo(position), close: async () => {} }
  },

  examples: [
    {
      title: 'a batch ends behind its last note, and a note that is not JSON is refused alone',
      config: {},
      remote: ['{"a":1}', '{"a":2}', 'nope', '"b"', '5'],
      batches: [
        { messages: [{ a: 1 }, { a: 2 }], position: 2 },
        { messages: ['b'], refused: [['E_EVENT_NOT_JSON', '3']], position: 4 },
        { messages: [5], position: 5 },
      ],
    },
    {
      title: 'a reader continues behind a position',
      config: { at_once: 3 },
      remote: ['1', '2', '3'],
      from: 1,
      batches: [{ messages: [2, 3], position: 3 }],
    },
  ],
  configs: [{ sent: {}, defaults: { at_once: 2 } }],
})

/** Answer of a `relay`: a status for the whole request, or one per event. */
type RelayAnswer = 'ok' | 'busy' | 'bad' | readonly ('ok' | 'busy' | 'bad')[]

const RELAY_VERDICTS = {
  ok: 'delivered',
  busy: 'again',
  bad: { code: 'E_DELIVERY_FAILED', field: null, message: 'The relay refused the event' },
} as const

/** A destination that sends messages of a room together. */
export const relay = defineDestination({
  type: 'relay',
  summary: 'Send messages to rooms.',
  config: Type.Object(
    { most: Type.Optional(Type.Integer({ minimum: 1, default: 2, description: 'Messages of a request' })) },
    { additionalProperties: false },
  ),
  delivery: 'requests',
  transport: 'relay',
  foldOptions: [],
  errors: ['E_NOT_FOUND', 'E_DELIVERY_FAILED'],

  neverSent: ({ message }) =>
    roomOf(message) === undefined
      ? { code: 'E_NOT_FOUND', field: '.room', message: 'The event has no room' }
      : undefined,

  *encode({ events }, { most = 2 }): Iterable<{ request: JsonObject; events: number }> {
    let first = 0
    while (first < events.length) {
      const room = roomOf((events[first] as Event).message) as JsonValue
      let end = first + 1
      while (end < events.length && end - first < most && roomOf((events[end] as Event).message) === room)
        end++
      const sent = events.slice(first, end).map(({ message }) => message)
      yield { request: { room, messages: sent }, events: sent.length }
      first = end
    }
  },

  judge: (answer: RelayAnswer) =>
    typeof answer === 'string' ? RELAY_VERDICTS[answer] : answer.map(each => RELAY_VERDICTS[each]),

  examples: [
    {
      title: 'messages of a room that follow each other share a request',
      config: {},
      events: [
        { room: 'a', n: 1 },
        { room: 'a', n: 2 },
        { room: 'a', n: 3 },
        { room: 'b', n: 4 },
      ],
      requests: [
        {
          room: 'a',
          messages: [
            { room: 'a', n: 1 },
            { room: 'a', n: 2 },
          ],
        },
        { room: 'a', messages: [{ room: 'a', n: 3 }] },
        { room: 'b', messages: [{ room: 'b', n: 4 }] },
      ],
      answers: [
        { answer: 'ok', verdict: 'delivered' },
        { answer: 'busy', verdict: 'again' },
        { answer: 'bad', verdict: { failed: ['E_DELIVERY_FAILED', null] } },
        { answer: ['ok', 'busy'], verdict: ['delivered', 'again'] },
      ],
    },
    {
      title: 'an event without a room is never sent',
      config: {},
      events: [{ n: 1 }, { room: 'a' }],
      never: { 0: ['E_NOT_FOUND', '.room'] },
      requests: [{ room: 'a', messages: [{ room: 'a' }] }],
    },
  ],
  configs: [{ sent: {}, defaults: { most: 2 } }],
})

function roomOf(message: JsonValue): JsonValue | undefined {
  return isJsonObject(message) ? message.room : undefined
}

const DECLARED = {
  summary: 'Stored, and never run.',
  config: Type.Object({}, { additionalProperties: false }),
  configs: [{ sent: {} }],
}

/**
 * Types that are only declared, one of each kind. Tests of types that do not run use them, because each declared type of
 * the program begins to run one day.
 */
export const declaredTypes = {
  sources: [declareSource({ ...DECLARED, type: 'declared-source', entrance: 'gateway' })],
  processors: [declareProcessor({ ...DECLARED, type: 'declared-processor' })],
  destinations: [declareDestination({ ...DECLARED, type: 'declared-destination' })],
}
