import { countedLines, eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'
import type { Report } from './figure.ts'
import { residentMemory } from './installation/process-usage.ts'
import { bodyOf, linesFrom, sampleLineAt } from './load/bodies.ts'

/** A throttle has room for a million, and each restart brings one more. */
const KEYS = 999_000
const LINES_PER_BODY = 1_000
/** Lines of known keys that come with the new one after a restart: all of them must be held back. */
const HELD_LINES = 999
const SENDERS = 8
const ROUNDS = 3
const WITHIN_MS = 120_000

export const summary =
  'The benchmark kills the real program with kill -9 and starts it again. Two times begin with the start: until /readyz is 200, and until a line sent at that moment is stored and counted. The latter takes up to a second even without a kill. Its state is a throttle that has let one line of each of 999,000 keys pass. The benchmark fails unless further lines of known keys are held back afterwards. The floor is the same program without state.'

export async function run(report: Report): Promise<void> {
  const floor = await onProgram(async weir => {
    const users = newUsers()
    return rounds(() => restarted(weir, [], users))
  })
  const { killed, killedAtRest, memory } = await onProgram(withKeys)
  for (const [title, restarts] of [
    ['killed when the lines were stored, newest checkpoint as it comes', killed],
    ['killed when the newest checkpoint had all keys', killedAtRest],
  ] as const) {
    for (const [what, member] of [
      ['ready', 'readyMs'],
      ['a new line stored', 'storedMs'],
    ] as const)
      report({
        name: `${title}: ${what}`,
        unit: 'ms',
        values: restarts.map(restart => restart[member]),
        floor: { name: 'without state', values: floor.map(restart => restart[member]) },
      })
  }
  report({ name: 'resident memory afterwards', unit: 'MB', values: [memory] })
}

async function withKeys(weir: RunningWeir) {
  await deployThrottle(weir)
  const users = newUsers()
  const known = await fill(weir, users)
  const killed = await rounds(() => restarted(weir, known, users))
  const killedAtRest = await rounds(async () => {
    await weir.end('SIGTERM')
    await weir.start()
    return restarted(weir, known, users)
  })
  return { killed, killedAtRest, memory: residentMemory(weir.pid as number).megabytes }
}

interface Restart {
  readonly readyMs: number
  readonly storedMs: number
}

/** @param known keys that the throttle has met before the kill: their lines and a new one are judged and stored in one step */
async function restarted(
  weir: RunningWeir,
  known: readonly string[],
  users: Iterator<string, never>,
): Promise<Restart> {
  const before = await countedLines(weir)
  await weir.end('SIGKILL')
  const startedMs = performance.now()
  await weir.start()
  if (!(await eventually(() => isReady(weir), Boolean, WITHIN_MS)))
    throw new Error('it does not become ready')
  const readyMs = performance.now() - startedMs
  await send(weir, [...known, ...take(users, 1)])
  const counted = await eventually(
    () => countedLines(weir),
    lines => lines > before,
    WITHIN_MS,
  )
  const storedMs = performance.now() - startedMs
  if (counted !== before + 1) throw new Error(`${counted - before} lines were stored in place of one`)
  return { readyMs, storedMs }
}

function take<T>(values: Iterator<T, never>, count: number): T[] {
  return Array.from({ length: count }, () => values.next().value)
}

function* newUsers(): Generator<string, never> {
  for (let number = 0; ; number++) yield `user-${String(number).padStart(7, '0')}`
}

async function isReady(weir: RunningWeir): Promise<boolean> {
  const response = await fetch(`${weir.credentials.apiUrl}/readyz`)
  await response.arrayBuffer()
  return response.ok
}

/** Sends a line of each of so many keys, and waits until all are stored. @returns some of the keys */
async function fill(weir: RunningWeir, users: Iterator<string, never>): Promise<readonly string[]> {
  const known = take(users, LINES_PER_BODY)
  await send(weir, known)
  let remaining = KEYS / LINES_PER_BODY - 1
  const sender = async () => {
    while (remaining-- > 0) await send(weir, take(users, LINES_PER_BODY))
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  const counted = await eventually(
    () => countedLines(weir),
    lines => lines >= KEYS,
    WITHIN_MS,
  )
  if (counted !== KEYS) throw new Error(`${counted} of ${KEYS} lines passed`)
  return known.slice(0, HELD_LINES)
}

const lineAt = sampleLineAt()
let sent = 0

async function send(weir: RunningWeir, users: readonly string[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = linesFrom(lineAt, sent, users.length).map((line, index) => ({
    ...line,
    meta: { user: users[index] },
  }))
  sent += users.length
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=bench-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: bodyOf(lines),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

/** The first line of each user in a day passes. */
async function deployThrottle(weir: RunningWeir): Promise<void> {
  const create = async (path: string, body: unknown) =>
    (await weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  const path = `/v3/pipeline/${await create('/v3/pipeline', { title: 'bench' })}`
  const source = await create(`${path}/source`, { type: 'log-analysis-ingestion' })
  const throttle = await create(`${path}/transform`, {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: 1, window: '24h', key_field: '.meta.user' },
  })
  await create(`${path}/sink`, { type: 'log-analysis', inputs: [throttle], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
}

async function onProgram<Result>(use: (weir: RunningWeir) => Promise<Result>): Promise<Result> {
  const weir = await RunningWeir.start()
  try {
    return await use(weir)
  } finally {
    await weir.dispose()
  }
}

async function rounds<Result>(measure: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let round = 0; round < ROUNDS; round++) results.push(await measure())
  return results
}
