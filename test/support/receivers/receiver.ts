import assert from 'node:assert/strict'
import type { Event } from '../../../engine/event/event.ts'
import type { HttpRequest } from '../../../engine/outbound/http-exchange.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'

/** A destination with options, and the part of its counterpart that reads requests. */
export interface DestinationCase {
  readonly title: string
  readonly type: string
  readonly config: JsonObject
  /**
   * Reads a request by the published interface of the counterpart, and refuses whatever that does not allow.
   *
   * @returns the part of each event that arrived, in order
   * @throws AssertionError
   */
  receive(request: ReceivedRequest): readonly JsonValue[]
  /** The part of an event that has to arrive. */
  expected(event: Event, id: string): JsonValue
  /** Messages that can be sent. Default: messages of every kind. */
  readonly messages?: readonly JsonValue[]
  /**
   * A message that is longer by each byte of a text. Default: an object with the text.
   *
   * @param index of the message in its batch, if it has one
   */
  padded?(text: string, index?: number): JsonValue
  /** Size beyond which a padded message is cut, in bytes. Absent: none is cut. */
  readonly longest?: number
  /** Verdict where the table of statuses is narrowed down; by status. */
  readonly verdicts?: Readonly<Record<number, string>>
  /** The options with another address of the server; absent: the address is fixed. */
  at?(origin: string): JsonObject
  /** Body of an answer to a request that was accepted. */
  accepted?(request: ReceivedRequest): string
}

/** A request as a server reads it: names of headers in lower case, the body decompressed. */
export type ReceivedRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(\.[1-9]\d*)?$/

/** Checks the parts of a request that all counterparts require. */
export function expectPost(
  { method, url, headers }: ReceivedRequest,
  path: string,
  contentType: string,
): URLSearchParams {
  const { pathname, searchParams, username, password, hash } = new URL(url)
  assert.equal(method, 'POST')
  assert.equal(pathname, path)
  assert.deepEqual([username, password, hash], ['', '', ''])
  assert.equal(headers['content-type'], contentType)
  expectHeaders(headers)
  return searchParams
}

/** Checks that headers can be written, and that names are in lower case. */
export function expectHeaders(headers: ReceivedRequest['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    assert.match(name, /^[a-z0-9-]+$/)
    assert.match(value, /^[\t\x20-\x7e\x80-\xff]+$/)
  }
}

export function expectBatchId(id: string | undefined): void {
  assert.match(id ?? '', UUID)
}

/** Text of a body, which must be valid UTF-8. */
export function utf8Of(body: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
}

/** Lines of a text in which every line ends. */
export function endedLines(text: string): readonly string[] {
  assert.ok(text.endsWith('\n'), 'the last line must end')
  return text.slice(0, -1).split('\n')
}

/** Values of an object in an order of its own, with nothing beside them. */
export function expectMembers(value: JsonValue | undefined, allowed: readonly string[]): JsonObject {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), 'it must be an object')
  for (const name of Object.keys(value)) assert.ok(allowed.includes(name), `${name} is not a member`)
  return value as JsonObject
}
