import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { WebSocket } from 'ws'
import type { Clock } from '../../../engine/clock/clock.ts'
import type { LiveMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import { closeSocket } from '../../http/web-sockets.ts'

/** Close codes of RFC 6455, section 7.4.1. */
const CLOSE = {
  rights: [1008, 'Your rights have ended'],
  slow: [1008, 'The client reads too slowly'],
  deleted: [1000, 'The pipeline was deleted'],
  stopped: [1001, 'The server stops'],
} as const

/** Why the server ends live counts. */
export type LiveCountEnd = keyof typeof CLOSE

/** A client that reads live counts. */
export interface LiveCountReader {
  send(message: LiveMetrics): void
  /** Size of the messages that wait for the client. */
  readonly unsentBytes: number
  end(why: LiveCountEnd): void
  whenGone(listener: () => void): void
}

/** Makes a reader of server-sent events. @returns it with the body of its answer */
export function streamReader(reply: FastifyReply): {
  readonly reader: LiveCountReader
  readonly body: Readable
} {
  const body = new Readable({ read() {} })
  // The head of the answer goes out with its first bytes.
  body.push(': counts follow each second\n\n')
  const reader: LiveCountReader = {
    send: message => void body.push(`event: counts\ndata: ${JSON.stringify(message)}\n\n`),
    get unsentBytes() {
      return body.readableLength + reply.raw.writableLength
    },
    end: () => void body.push(null),
    whenGone: listener => void reply.raw.once('close', listener),
  }
  return { reader, body }
}

export function socketReader(socket: WebSocket, clock: Clock): LiveCountReader {
  return {
    send: message => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
    },
    get unsentBytes() {
      return socket.bufferedAmount
    },
    end: why => {
      const [code, sentence] = CLOSE[why]
      closeSocket(socket, code, sentence, clock)
    },
    whenGone: listener => void socket.once('close', listener),
  }
}
