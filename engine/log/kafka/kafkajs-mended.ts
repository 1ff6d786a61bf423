import kafkajs from 'kafkajs'
import Broker from 'kafkajs/src/broker/index.js'
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js'
import Connection from 'kafkajs/src/network/connection.js'
import ConnectionPool from 'kafkajs/src/network/connectionPool.js'
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js'

/** Repairs of defects in kafkajs 2.2.4, its last release, that make it unusable for a log. */
export function mendKafkajs(): void {
  mendThrottleTimer()
  mendReconnecting()
  mendSilentConnections()
  mendHalfMadeConnections()
  mendSeeds()
  mendLeaderlessPartitions()
}

/**
 * kafkajs checks throttled requests by a timer that it starts after every answer. The timer uses a time in the past when
 * nothing is throttled. From then on it fires every millisecond, and Node warns of a negative time-out.
 */
function mendThrottleTimer(): void {
  const { prototype } = RequestQueue
  const schedule = prototype.scheduleCheckPendingRequests
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this)
  }
}

/**
 * A connection that was cut in the middle of an answer keeps the received part. After a reconnect, old and new bytes are
 * read as one answer, and an error in the socket's own handler ends the process. In addition, two simultaneous connects
 * open two sockets, one of which is never closed.
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

/** Length field at the start of an answer. */
const LENGTH_BYTES = 4

/**
 * A connection whose answer timed out stays open and counts as connected. It gets the next request, and requests that any
 * broker could answer.
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

/** Ends the connections to a broker at once: outstanding requests fail, and the next request connects again. */
export function dropConnections(broker: object, reason: string): void {
  for (const connection of (broker as Broker).connectionPool.pool) cut(connection, reason)
}

function cut(connection: Connection, reason: string): void {
  connection.authHandlers?.onError() // a pending login would not be informed otherwise
  connection.socket?.destroy(new Error(reason))
}

/** A broker that accepted the connection and then stays silent counts as connected, although requests to it never end. */
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
 * Seeds are tried one per attempt, always in the same order, and a seed that accepts the connection but stays silent
 * blocks forever. Each start would wait for the time-out of a single unavailable seed. Instead, all seeds are asked at
 * once, and the first answer wins.
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
        // An error that the operator must fix is more useful than an unavailable broker.
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

/** The builder of kafkajs returns one seed after the other, and then the first one again. */
async function seedsOf(pool: BrokerPool): Promise<Broker[]> {
  const seeds = new Map<string, Broker>()
  for (;;) {
    const connectionPool = await pool.connectionPoolBuilder.build()
    const address = `${connectionPool.host}:${connectionPool.port}`
    if (seeds.has(address)) return [...seeds.values()]
    seeds.set(address, pool.createBroker({ connectionPool, logger: pool.rootLogger }))
  }
}

/** One partition without a leader must not hide all others: only requests for its leader get an error. */
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
