import assert from 'node:assert/strict'
import { parseJson, textForm } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { serviceAccountKey } from './google-account.ts'
import { type DestinationCase, expectMembers, expectPost, type ReceivedRequest, utf8Of } from './receiver.ts'

const CONFIG = { project_id: 'example', topic: 'web-logs', credentials_json: serviceAccountKey() }
const MAX_BYTES = 10_000_000
const MAX_MESSAGES = 1_000
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The method `projects.topics.publish` of Pub/Sub, version 1, as its reference page describes it. */
export const PUBSUB_CASES: readonly DestinationCase[] = [
  {
    title: 'gcp-cloud-pubsub',
    type: 'gcp-cloud-pubsub',
    config: CONFIG,
    receive: request => messagesIn(request),
    expected: ({ message }, id) => [id, textForm(message)],
    padded: text => text,
    verdicts: { 400: 'halve' },
    accepted: request => JSON.stringify({ messageIds: messagesIn(request).map((_, index) => `${index}`) }),
  },
  {
    title: 'gcp-cloud-pubsub with JSON',
    type: 'gcp-cloud-pubsub',
    config: { ...CONFIG, encoding: 'json' },
    receive: request =>
      messagesIn(request).map(message => [...(message as string[]).slice(0, 1), jsonIn(message)]),
    expected: ({ message }, id) => [id, message],
    padded: text => text,
    verdicts: { 400: 'halve' },
  },
]

function jsonIn(message: JsonValue): JsonValue {
  return parseJson((message as string[])[1] as string)
}

/** Id and data of each message. */
function messagesIn(request: ReceivedRequest): readonly JsonValue[] {
  expectPost(request, '/v1/projects/example/topics/web-logs:publish', 'application/json')
  assert.equal(new URL(request.url).origin, 'https://pubsub.googleapis.com')
  assert.equal(request.headers.authorization, undefined, 'the sender adds the token')
  assert.ok(request.body.length <= MAX_BYTES)
  const { messages } = expectMembers(parseJson(utf8Of(request.body)), ['messages'])
  assert.ok(Array.isArray(messages) && messages.length > 0 && messages.length <= MAX_MESSAGES)
  return messages.map(message => {
    const { data, attributes } = expectMembers(message, ['data', 'attributes', 'orderingKey'])
    assert.match(String(data), BASE64)
    const entries = Object.entries(attributes as JsonObject)
    assert.ok(data !== '' || entries.length > 0, 'a message has data or an attribute')
    for (const [name, value] of entries) {
      assert.ok(name !== '' && Buffer.byteLength(name) <= 256 && !name.startsWith('goog'))
      assert.ok(typeof value === 'string' && Buffer.byteLength(value) <= 1_024)
    }
    return [(attributes as JsonObject)['weir-id'] as string, utf8Of(Buffer.from(String(data), 'base64'))]
  })
}
