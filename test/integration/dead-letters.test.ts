import { afterEach, beforeEach, expect, test } from 'vitest'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** The program is killed after each second of them. */
const ROUNDS = 6
const PER_ROUND = 40

interface Letter {
  readonly id: string
  readonly replayed_at: string | null
  readonly event: { readonly message: { readonly line: string } }
}

let weir: RunningWeir

beforeEach(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})

afterEach(() => weir.dispose())

async function post(lines: readonly object[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

/** Every letter, page by page. */
async function listed(url: string): Promise<Letter[]> {
  const letters: Letter[] = []
  for (let cursor = ''; ; ) {
    const page = await weir.get<{ meta: { page: { next: string | null } }; data: Letter[] }>(
      `${url}?limit=50${cursor}`,
    )
    letters.push(...page.data)
    if (page.meta.page.next === null) return letters
    cursor = `&cursor=${page.meta.page.next}`
  }
}

test('failed events are stored and counted once after a corrected revision is published, with kills in between', async () => {
  const pipeline = await weir.create('/v3/pipeline', { title: 'by machine' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const sink = await weir.create(`/v3/pipeline/${pipeline}/sink`, {
    type: 'mezmo',
    inputs: [source],
    user_config: { query: { hostname: '{{ .machine }}' } },
  })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  const url = `/v3/pipeline/${pipeline}/dead-letter`
  await weir.send('PUT', url, { enabled: true })
  const failing: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const lines = Array.from({ length: PER_ROUND }, (_, index) => ({
      line: `line ${round} ${index}`,
      ...(index % 2 === 0 && { machine: 'm-1' }),
    }))
    failing.push(...lines.filter(line => !('machine' in line)).map(({ line }) => line))
    await post(lines)
    if (round % 2 === 1) {
      await weir.end('SIGKILL')
      await weir.start()
    }
  }
  const letters = await eventually(
    () => listed(url),
    found => found.length >= failing.length,
  )
  expect(letters.map(({ event }) => event.message.line).toSorted()).toEqual(failing.toSorted())
  expect(new Set(letters.map(({ id }) => id)).size).toBe(letters.length)

  await weir.send('PUT', `/v3/pipeline/${pipeline}/sink/${sink}`, { inputs: [source], user_config: {} })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  const some = letters.filter((_, index) => index % 3 === 0).map(({ id }) => id)
  const replay = async (body: object) =>
    (await weir.send<{ data: Record<string, number> }>('POST', `${url}/replay`, body)).data
  expect(await replay({ ids: some })).toMatchObject({ replayed: some.length, pending: 0 })
  await weir.end('SIGKILL')
  await weir.start()
  const [again, all] = await Promise.all([replay({ ids: some }), replay({})])
  expect(again).toMatchObject({ replayed: 0, already_replayed: some.length })
  expect(all).toMatchObject({ replayed: failing.length - some.length, already_replayed: some.length })
  expect((await listed(url)).filter(({ replayed_at }) => replayed_at === null)).toEqual([])

  const sent = ROUNDS * PER_ROUND
  await eventually(
    () => countedLines(weir),
    count => count >= sent,
  )
  await weir.end('SIGTERM')
  await weir.start()
  expect(await replay({})).toMatchObject({ replayed: 0, already_replayed: failing.length })
  expect(await countedLines(weir)).toBe(sent)
  const stored = (await exportedLines(weir)).map(({ _line }) => _line)
  expect(stored).toHaveLength(sent)
  expect(new Set(stored).size).toBe(sent)
  expect(await runWeir(['verify'], weir.environment)).toMatchObject({ code: 0 })
})
