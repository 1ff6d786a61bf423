import type { FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { PIECE_CHARACTERS, sendRows } from './streamed-rows.ts'

/**
 * Answers with a JSON array. A long list is printed and sent in pieces: each element is made when its piece is, and between two
 * pieces other requests have a turn.
 */
export function sendList(
  reply: FastifyReply,
  clock: Clock,
  records: Iterable<unknown>,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  return sendRows(reply, {
    clock,
    rows: () => oneByOne(records),
    render: listPieces,
    beginLong: () => {},
  })
}

async function* oneByOne(records: Iterable<unknown>): AsyncGenerator<readonly unknown[]> {
  for (const record of records) yield [record]
}

async function* listPieces(rows: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let piece = '['
  let separator = ''
  for await (const [record] of rows) {
    piece += separator + jsonText(record as JsonValue)
    separator = ','
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  yield `${piece}]`
}
