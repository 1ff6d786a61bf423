import Broker from 'kafkajs/src/broker/index.js'
import Connection from 'kafkajs/src/network/connection.js'
import ConnectionPool from 'kafkajs/src/network/connectionPool.js'
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'

/** Defects of kafkajs 2.2.4, its last release, that a log cannot live with. */
export function mendKafkajs(): void {
  mendThrottleTimer()
  mendReconnecting()
  mendHalfMadeConnections()
  mendLeaderlessPartitions()
}

/**
 * It looks after throttled requests by a timer that it starts after every answer, with a time that has passed when
 * nothing is throttled: from then on it fires each millisecond for ever, and Node warns of a negative time-out.
 */
function mendThrottleTimer(): void {
  const { prototype } = RequestQueue
  const schedule = prototype.scheduleCheckPendingRequests
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this)
  }
}

/**
 * A connection that was cut in the middle of an answer keeps what it had of it: after the next connect both are read
 * as one, and an error in the socket's own handler ends the process. And two who connect at once open two sockets, of
 * which one is never closed.
 */
function mendReconnecting(): void {
  const { prototype } = Connection
  const connect = prototype.connect
  const connecting = new WeakMap<Connection, Promise<boolean>>()
  prototype.connect = function (this: Connection) {
    if (this.isConnected()) return connect.call(this)
    const underWay = connecting.get(this)
    if (underWay !== undefined) return underWay
    this.chunks = []
    this.bytesBuffered = 0
    this.bytesNeeded = LENGTH_BYTES
    this.authHandlers = null
    const begun = connect.call(this).finally(() => connecting.delete(this))
    connecting.set(this, begun)
    return begun
  }
}

/** An answer begins with its length. */
const LENGTH_BYTES = 4

/** A broker that took the connection and then said nothing counts as connected, though nothing can be asked of it. */
function mendHalfMadeConnections(): void {
  const { prototype } = Broker
  const connect = prototype.connect
  prototype.connect = async function (this: Broker) {
    try {
      await connect.call(this)
    } catch (error) {
      await this.connectionPool.destroy()
      throw error
    }
  }
}

/** One partition without a leader is no reason to know nothing of all others: who asks for its leader is told. */
function mendLeaderlessPartitions(): void {
  const { prototype } = ConnectionPool
  const send = prototype.send
  prototype.send = function (this: ConnectionPool, exchange) {
    if (exchange.request.apiName !== 'Metadata') return send.call(this, exchange)
    const { parse } = exchange.response
    const parseTopics = async (data: Metadata) => {
      await parse({
        ...data,
        topicMetadata: data.topicMetadata.map(topic => ({ ...topic, partitionMetadata: [] })),
      })
      return data
    }
    return send.call(this, { ...exchange, response: { ...exchange.response, parse: parseTopics } })
  }
}

interface Metadata {
  readonly topicMetadata: readonly { readonly partitionMetadata: readonly unknown[] }[]
}
