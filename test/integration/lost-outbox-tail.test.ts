import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { eventually } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { ListeningReceiver } from '../support/receivers/listening-receiver.ts'
import { RunningWeir } from '../support/running-weir.ts'

const NUMBERS = /--topic outbox --partition 0 --from (\d+) --to (\d+)/
const REQUESTS = 20

let weir: RunningWeir
let receiver: ListeningReceiver

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  receiver = await ListeningReceiver.open()
  const pipeline = await weir.create('/v3/pipeline', { title: 'to a receiver' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const user_config = { uri: receiver.url, encoding: 'ndjson' }
  await weir.create(`/v3/pipeline/${pipeline}/sink`, { type: 'http', inputs: [source], user_config })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
})

afterAll(async () => {
  await weir.dispose()
  await receiver.close()
})

async function post(line: string): Promise<number> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: [{ line }] }),
  })
  return response.status
}

/** Waits until the receiver has accepted a line. */
function accepted(line: string): Promise<boolean> {
  const isThere = async () => receiver.accepted.some(({ body }) => body.includes(`"${line}"`))
  return eventually(isThere, found => found)
}

/** Runs a command: by the running server, or by a separate process. */
async function command(...args: string[]): Promise<{ code: number | null; text: string }> {
  const { code, out, err } = await (weir.running ? runHere : runWeir)(args, weir.environment)
  return { code, text: `${out}${err}` }
}

/** Cuts off the end of the newest file of the outbox partition. @param kept part of it that is kept */
function cutTail(kept = 2 / 3): void {
  const folder = join(weir.directory, 'log/weir.outbox/0')
  const newest = readdirSync(folder)
    .filter(name => name.endsWith('.segment'))
    .toSorted()
    .at(-1) as string
  const path = join(folder, newest)
  truncateSync(path, Math.round(statSync(path).size * kept))
}

test('an outbox that lost its end is noticed, and delivers again after the loss was accepted', async () => {
  for (let request = 0; request < REQUESTS; request++) {
    expect(await post(`before ${request}`)).toBe(200)
    expect(await accepted(`before ${request}`)).toBe(true)
  }
  await weir.end('SIGTERM')
  cutTail()
  await weir.start()
  const printed = await eventually(
    async () => weir.output,
    output => NUMBERS.test(output),
  )
  const [, from = '', to = ''] = NUMBERS.exec(printed) ?? []
  expect(printed).toContain(`Partition 0 of weir.outbox ends before record ${from}`)
  const verified = await command('verify')
  expect(verified).toMatchObject({ code: 1, text: expect.stringMatching(NUMBERS) })

  const numbers = ['--partition', '0', '--from', from, '--to', to]
  expect(await command('log', 'accept-loss', '--topic', 'outbox', ...numbers)).toMatchObject({
    code: 0,
    text: expect.stringContaining('Events that waited for delivery in the lost records are not delivered'),
  })
  expect(await post('after')).toBe(200)
  expect(await accepted('after')).toBe(true)
  expect(await command('verify')).toMatchObject({ code: 0 })
})

test('an outbox that lost all of its records was not named by /readyz before the next delivery', async () => {
  await weir.end('SIGTERM')
  cutTail(0)
  await weir.start()
  const ready = await fetch(`${weir.credentials.apiUrl}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(NUMBERS)])
})
