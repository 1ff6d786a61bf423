import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { SmallDisk } from '../faults/small-disk.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { sayAloud } from '../support/kafka/needed-or-skipped.ts'
import { RunningWeir } from '../support/running-weir.ts'

const RUN_MS = 60_000
/** The store is full about 50 times in a minute. */
const [ROOM_MS, FULL_MS] = [800, 400]
const LINES_PER_BODY = 100
const PAUSE_MS = 20

const disk = SmallDisk.mount()
if (disk === undefined)
  sayAloud('TEST SKIPPED, IT NEEDS THE RIGHT TO MOUNT: lines on a full volume of the store.')

let weir: RunningWeir | undefined
afterEach(async () => {
  await weir?.dispose()
  disk?.unmount()
})

/** Fills the disk and frees it again, until the signal. */
async function fillAgainAndAgain(full: SmallDisk, over: AbortSignal) {
  let times = 0
  while (!over.aborted) {
    await delay(ROOM_MS)
    full.squeeze(0)
    times++
    await delay(FULL_MS)
    full.release()
  }
  return times
}

/**
 * Starts the program again whenever it has ended, as a supervisor does, until the signal.
 * @returns the number of starts
 */
async function supervise(program: RunningWeir, over: AbortSignal): Promise<number> {
  let starts = 0
  while (!over.aborted) {
    if (!program.running) {
      starts++
      // It may be refused while the disk is full.
      await program.start().catch(() => {})
    }
    await delay(100)
  }
  return starts
}

/** Sends bodies until the signal. @returns the texts of the lines that were acknowledged, and of the others */
async function send(program: RunningWeir, over: AbortSignal) {
  const [acknowledged, unknown]: [string[], string[]] = [[], []]
  const { ingestUrl, ingestionKey } = program.credentials
  for (let body = 0; !over.aborted; body++) {
    const texts = Array.from(
      { length: LINES_PER_BODY },
      (_, number) => `line ${body} ${number} ${'x'.repeat(200)}`,
    )
    const isAcknowledged = await fetch(`${ingestUrl}/logs/ingest?hostname=h`, {
      method: 'POST',
      headers: { apikey: ingestionKey },
      body: JSON.stringify({ lines: texts.map(line => ({ line, app: `app-${body % 7}` })) }),
    }).then(
      response => response.ok,
      () => false,
    )
    for (const text of texts) (isAcknowledged ? acknowledged : unknown).push(text)
    await delay(PAUSE_MS)
  }
  return { acknowledged, unknown: new Set(unknown) }
}

test.skipIf(disk === undefined)(
  'lines that were stored while the volume of the store filled up again and again were gone after a restart',
  async () => {
    if (disk === undefined) return
    const directory = mkdtempSync(join(tmpdir(), 'weir-full-store-'))
    // The log is on a volume of its own, so lines are accepted all the time.
    mkdirSync(join(disk.path, 'store'), { mode: 0o700 })
    symlinkSync(join(disk.path, 'store'), join(directory, 'store'))
    weir = await RunningWeir.start({}, directory)
    weir.keepPort()
    const program = weir
    const [over, settled] = [AbortSignal.timeout(RUN_MS), new AbortController()]
    const supervised = supervise(program, settled.signal)
    const [sent, times] = await Promise.all([send(program, over), fillAgainAndAgain(disk, over)])
    // The last full disk may end the program after the last line was sent.
    const counted = await eventually(
      () => countedLines(program).catch(() => 0),
      lines => lines >= sent.acknowledged.length,
      180_000,
    )
    settled.abort()
    const starts = await supervised
    console.log(
      `${sent.acknowledged.length} lines, ${counted} counted, full ${times} times, ${starts} starts`,
    )
    expect([counted >= sent.acknowledged.length, program.running], program.output.slice(-4_000)).toEqual([
      true,
      true,
    ])
    await weir.end('SIGTERM')
    await weir.start()
    const stored = (await exportedLines(weir)).map(({ _line: line }) => line)
    const counts = new Map<string, number>()
    for (const line of stored) counts.set(line, (counts.get(line) ?? 0) + 1)
    expect(sent.acknowledged.filter(line => counts.get(line) !== 1)).toEqual([])
    // A request without an answer was accepted as a whole, or not at all.
    expect(stored.length - sent.acknowledged.length).toBeLessThanOrEqual(sent.unknown.size)
    expect(times).toBeGreaterThan(20)
    const { apiUrl } = weir.credentials
    const ready = await eventually(
      () => fetch(`${apiUrl}/readyz`),
      ({ ok }) => ok,
    )
    expect([ready.status, await ready.text()]).toEqual([200, expect.any(String)])
  },
  600_000,
)
