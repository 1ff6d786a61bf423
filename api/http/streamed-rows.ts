import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'

/** Text is passed on in pieces of about this many characters. */
export const PIECE_CHARACTERS = 65_536
/** A client that accepts nothing for this time counts as gone. */
const STANDSTILL_MS = MINUTE_MS

export interface RowsAnswer<Row> {
  readonly clock: Clock
  /** Rows of a statement, which ends when the signal is aborted. */
  rows(signal: AbortSignal): AsyncIterable<readonly Row[]>
  /**
   * Called when the first rows are available, before the headers. Each piece except the last has at least
   * `PIECE_CHARACTERS`.
   */
  render(rows: AsyncIterable<readonly Row[]>): AsyncIterable<string>
  /**
   * Called when the answer is longer than a piece; an exception from it becomes the answer. Absent: short answers are
   * streamed, too.
   */
  readonly beginLong?: () => void
}

/**
 * Streams an answer as fast as the client reads; between two pieces other requests have a turn. The first rows are
 * awaited before anything is sent, so the failure of a statement is still an error. The statement ends when the client
 * leaves or stalls.
 */
export async function sendRows<Row>(reply: FastifyReply, answer: RowsAnswer<Row>): Promise<FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const rows = answer.rows(gone.signal)[Symbol.asyncIterator]()
  try {
    const pieces = answer.render(following(await rows.next(), rows))[Symbol.asyncIterator]()
    const { beginLong } = answer
    if (beginLong === undefined) return sendPieces(reply, pieces, answer.clock)
    const first = await pieces.next()
    if (first.done || first.value.length < PIECE_CHARACTERS) {
      // An incomplete piece is the last one: there are no further rows.
      await pieces.return?.()
      return reply.send(first.value)
    }
    try {
      beginLong()
    } catch (error) {
      await pieces.return?.()
      throw error
    }
    return sendPieces(reply, following(first, pieces), answer.clock)
  } catch (error) {
    if (!gone.signal.aborted) throw error
    return reply.hijack() // the client has left
  }
}

function sendPieces(reply: FastifyReply, pieces: AsyncIterator<string>, clock: Clock): FastifyReply {
  const taken = takenInTime(pieces, clock, () => reply.raw.destroy())
  return reply.send(Readable.from(taken, { highWaterMark: 1 }))
}

/** A statement uses one of the few connections of the store until its answer is read. */
async function* takenInTime(
  pieces: AsyncIterator<string>,
  clock: Clock,
  onStandstill: () => void,
): AsyncGenerator<string> {
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const taken = new AbortController()
      void clock.sleep(STANDSTILL_MS, taken.signal).then(() => {
        if (!taken.signal.aborted) onStandstill()
      })
      try {
        yield next.value
      } finally {
        taken.abort()
      }
      await setImmediate()
    }
  } finally {
    await pieces.return?.()
  }
}

async function* following<Item>(
  first: IteratorResult<Item>,
  rest: AsyncIterator<Item>,
): AsyncGenerator<Item, void> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
