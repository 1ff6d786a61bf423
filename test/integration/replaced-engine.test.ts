import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { LinkProxy } from '../faults/cluster/link-proxy.ts'
import { GUARDS, type Patch } from '../simulation/guards.ts'
import { eventually } from '../support/exported-lines.ts'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const PRELOAD = new URL('../support/switched-off-preload.ts', import.meta.url).pathname
const INGESTION_KEY = 'c'.repeat(32)
const SESSION_MS = 5_000
const LINES = 100
const FILLER = 'x'.repeat(300)
/** An insert of lines is larger than whatever else an engine says to the store. */
const INSERT_BYTES = 10_000
/** Time within which a wrong insert would have come. */
const LATE_MS = 3_000
/** Time within which sent lines are inserted. */
const INSERT_MS = 5_000
/** Longer than all waits of a test together, each of which ends with a sentence. */
const PATIENCE_MS = 480_000
const clock = systemClock()

/** Lets inserts of a replaced engine through. */
const FENCE: Patch = {
  file: 'engine/store/clickhouse-store.ts',
  find: '> (toUInt64(',
  replace: '> (1000000 + toUInt64(',
}
const SETTLING = GUARDS['settling after a time-out']?.patches as readonly Patch[]

let folder: string
let closing: (() => unknown)[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-replaced-'))
  closing = [() => rmSync(folder, { recursive: true, force: true })]
})
afterEach(async () => {
  for (const close of closing.toReversed()) await close()
})

interface Place {
  readonly shared: Readonly<Record<string, string>>
  readonly store: RunningRole
  readonly proxy: LinkProxy
  /** The process whose way to the store goes through the proxy. */
  readonly engine: RunningRole
  send(text: string, to?: RunningRole): Promise<void>
  /** Numbers of stored lines, and of different ones among them. */
  stored(): Promise<{ lines: number; distinct: number }>
}

async function start(role: string, environment: Readonly<Record<string, string>>): Promise<RunningRole> {
  const started = await startRole(role, environment)
  closing.push(() => started.end('SIGKILL'))
  return started
}

/** @param off guards that the engine behind the proxy does without */
async function newPlace(bootstrap: readonly string[], off: readonly Patch[]): Promise<Place> {
  const local = { ...inheritedEnvironment(), WEIR_PORT: '0', LOG_LEVEL: 'warn' }
  const store = await start('store', { ...local, WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0' })
  const proxy = await LinkProxy.open(Number(new URL(store.url).port))
  closing.push(() => proxy.close())
  const shared = {
    ...local,
    KAFKA_BROKERS: bootstrap.join(),
    KAFKA_REPLICATION: '1',
    KAFKA_TOPIC_PREFIX: `test-${crypto.randomUUID().slice(0, 8)}.`,
    KAFKA_SESSION_TIMEOUT_MS: String(SESSION_MS),
    WEIR_PARTITIONS: '1',
    WEIR_SECRET_KEY: 'ab'.repeat(32),
    WEIR_BOOTSTRAP_INGESTION_KEY: INGESTION_KEY,
    CLICKHOUSE_URL: store.url,
  }
  const engine = await start('all', {
    ...shared,
    CLICKHOUSE_URL: `http://127.0.0.1:${proxy.port}`,
    ...(off.length > 0 && { NODE_OPTIONS: `--import ${PRELOAD}`, SWITCHED_OFF: JSON.stringify(off) }),
  })
  const connection = serverConnection({ url: store.url })
  closing.push(() => connection.close())
  return {
    shared,
    store,
    proxy,
    engine,
    send: async (text, to = engine) => {
      const lines = Array.from({ length: LINES }, (_, index) => ({ line: `${text} ${index} ${FILLER}` }))
      const response = await fetch(`${to.url}/logs/ingest?hostname=h`, {
        method: 'POST',
        headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ lines }),
      })
      expect(response.status).toBe(200)
    },
    stored: async () => {
      const sql = 'SELECT count() AS lines, uniqExact(line) AS distinct FROM slotted_lines'
      const [row] = await connection.query<{ lines: string; distinct: string }>({ sql })
      return { lines: Number(row?.lines), distinct: Number(row?.distinct) }
    },
  }
}

/** An engine stands still, past its session, while its insert is on its way; another takes over, and both go on. */
async function storedAfterPause(bootstrap: readonly string[], off: readonly Patch[]) {
  const { shared, proxy, engine, send, stored } = await newPlace(bootstrap, off)
  await send('before')
  const untilStored = async (count: number) =>
    expect((await eventually(stored, ({ lines }) => lines === count)).lines).toBe(count)
  await untilStored(LINES)
  // The filters of the lines are stored first, and come through.
  proxy.stall({ heads: true, smallBytes: INSERT_BYTES })
  await send('meanwhile')
  const heldBytes = await eventually(
    async () => proxy.heldBytes,
    held => held > INSERT_BYTES,
  )
  expect(heldBytes, 'the insert is on its way').toBeGreaterThan(INSERT_BYTES)
  engine.signal('SIGSTOP')
  const successor = await start('all', shared)
  await untilStored(2 * LINES)
  await send('after', successor)
  await untilStored(3 * LINES)
  proxy.heal() // The insert of before arrives.
  engine.signal('SIGCONT')
  // Where nothing is expected to come, nothing can be waited for.
  if (off.length > 0) await eventually(stored, ({ lines }) => lines === 4 * LINES)
  else await clock.sleep(LATE_MS)
  return { ...(await stored()), output: engine.output }
}

/** Waits while a minute is about to end: its counts would be inserted, and their answer waited for, before the lines. */
async function outsideOfMinuteEnd(): Promise<void> {
  const untilEndMs = MINUTE_MS - (clock.wallMs() % MINUTE_MS)
  if (untilEndMs < INSERT_MS) await clock.sleep(untilEndMs + INSERT_MS)
}

/** The store takes an insert, and the engine never hears of it. */
async function storedAfterLostAnswer(bootstrap: readonly string[], off: readonly Patch[]) {
  const { proxy, send, stored } = await newPlace(bootstrap, off)
  await send('before')
  await eventually(stored, ({ lines }) => lines === LINES)
  await outsideOfMinuteEnd()
  proxy.mute(1) // The filters of the lines are stored first.
  await send('unheard')
  const taken = await eventually(stored, ({ lines }) => lines === 2 * LINES)
  expect(taken.lines).toBe(2 * LINES)
  proxy.cut()
  proxy.heal()
  await send('after')
  await eventually(stored, ({ distinct }) => distinct === 3 * LINES)
  await clock.sleep(LATE_MS)
  return stored()
}

await describeKafka('an engine that stood still', {}, cluster => {
  test(
    'stores nothing once another has its partition, and is informed',
    async () => {
      const { output, ...stored } = await storedAfterPause(cluster.bootstrap, [])
      expect(stored).toEqual({ lines: 3 * LINES, distinct: 3 * LINES })
      expect(output).toMatch(/partition 0 (was taken by|is owned by a newer worker)/)
    },
    PATIENCE_MS,
  )

  test(
    'without the fence it would store its lines again',
    async () => {
      const { lines, distinct } = await storedAfterPause(cluster.bootstrap, [FENCE])
      expect({ lines, distinct }).toEqual({ lines: 4 * LINES, distinct: 3 * LINES })
    },
    PATIENCE_MS,
  )
})

/** In `npm test` store-kill.test.ts shows how an insert is settled. */
await describeKafka('an engine that did not hear what became of its insert', {}, cluster => {
  test(
    'asks the store, and stores the lines once',
    async () => {
      const stored = await storedAfterLostAnswer(cluster.bootstrap, [])
      expect(stored).toEqual({ lines: 3 * LINES, distinct: 3 * LINES })
    },
    PATIENCE_MS,
  )

  test(
    'would store them again if it did not ask',
    async () => {
      const { lines, distinct } = await storedAfterLostAnswer(cluster.bootstrap, SETTLING)
      expect({ lines, distinct }).toEqual({ lines: 4 * LINES, distinct: 3 * LINES })
    },
    PATIENCE_MS,
  )
})
