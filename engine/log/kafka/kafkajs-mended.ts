import kafkajs from 'kafkajs'
import Broker from 'kafkajs/src/broker/index.js'
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js'
import Connection from 'kafkajs/src/network/connection.js'
import ConnectionPool from 'kafkajs/src/network/connectionPool.js'
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'

/** Defects of kafkajs 2.2.4, its last release, that a log cannot live with. */
export function mendKafkajs(): void {
  mendThrottleTimer()
  mendReconnecting()
  mendSilentConnections()
  mendHalfMadeConnections()
  mendSeeds()
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

/**
 * A connection on which an answer did not come in time is kept, counts as connected, and gets the next request, and
 * questions that any broker could answer.
 */
function mendSilentConnections(): void {
  const { prototype } = Connection
  const send = prototype.send
  prototype.send = async function (this: Connection, exchange) {
    try {
      return await send.call(this, exchange)
    } catch (error) {
      if (error instanceof kafkajs.KafkaJSRequestTimeoutError) cut(this, error.message)
      throw error
    }
  }
}

/** Ends the connections to a broker at once: what waits for an answer fails, and what is asked next connects anew. */
export function dropConnections(broker: object, reason: string): void {
  for (const connection of (broker as Broker).connectionPool.pool) cut(connection, reason)
}

function cut(connection: Connection, reason: string): void {
  connection.authHandlers?.onError() // A login that waits for an answer hears of nothing else.
  connection.socket?.destroy(new Error(reason))
}

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

/**
 * Seeds are tried one after the other, always in the same order, the next one only by the next attempt, and one that
 * takes the connection and says nothing for ever: a single one that is away costs each start its time-out. All are
 * asked at once, and the first that answers is taken.
 */
function mendSeeds(): void {
  const { prototype } = BrokerPool
  prototype.connect = async function (this: BrokerPool) {
    if (this.hasConnectedBrokers()) return
    await this.retrier(async bail => {
      const seeds = await seedsOf(this)
      try {
        const first = await Promise.any(seeds.map(seed => seed.connect().then(() => seed)))
        this.seedBroker = first
        this.versions = first.versions
      } catch (error) {
        const { errors } = error as AggregateError
        // What an operator must mend says more than that another one is away.
        const failure = errors.find(({ retriable }) => !retriable) ?? errors[0]
        if (failure.retriable) throw failure
        bail(failure)
      } finally {
        for (const seed of seeds)
          if (seed !== this.seedBroker) dropConnections(seed, 'another seed broker is used')
      }
    })
  }
}

/** Their builder gives one after the other, and then the first again. */
async function seedsOf(pool: BrokerPool): Promise<Broker[]> {
  const seeds = new Map<string, Broker>()
  for (;;) {
    const connectionPool = await pool.connectionPoolBuilder.build()
    const address = `${connectionPool.host}:${connectionPool.port}`
    if (seeds.has(address)) return [...seeds.values()]
    seeds.set(address, pool.createBroker({ connectionPool, logger: pool.rootLogger }))
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
