import { afterEach, beforeEach, expect, test } from 'vitest'
import { PATH_HEADER } from '../../engine/outbound/http-exchange.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

let installation: TestInstallation
let logId: string

beforeEach(async () => {
  installation = await testInstallation()
  logId = installation.ports.ingest?.logId as string
})
afterEach(() => installation.app.close())

async function lineWith(path: string): Promise<[status: number, records: number]> {
  const { app, credentials, ports } = installation
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=web-1',
    headers: { apikey: credentials.ingestionKey, [PATH_HEADER]: path },
    payload: { lines: [{ line: 'hello' }] },
  })
  const { ingest } = ports.replay
  const read = Array.from({ length: ingest.partitions }, (_, partition) =>
    ingest.read(partition, 0n, 2 ** 30),
  )
  return [statusCode, (await Promise.all(read)).flat().length]
}

test('lines that this installation sent are refused with 508, wherever it stands in the path, and nothing is stored', async () => {
  for (const path of [logId, `other, ${logId}`, `${logId},other`, `a,b , ${logId} ,c`])
    expect([path, ...(await lineWith(path))]).toEqual([path, 508, 0])
})

test('lines that only other installations sent are accepted', async () => {
  for (const path of ['other', `${logId}x`, '', `x${logId}`]) expect((await lineWith(path))[0]).toBe(200)
})

test('data for a gateway route is refused in the form of its source', async () => {
  const answer = await installation.app.inject({
    method: 'POST',
    url: '/v1/00000000-0000-4000-8000-000000000000',
    headers: { [PATH_HEADER]: `other, ${logId}` },
    payload: '{}',
  })
  expect([answer.statusCode, answer.json()]).toEqual([
    508,
    { status: 'error', code: 'ERR_LOOP_DETECTED', error: expect.stringMatching(/\w/) },
  ])
})

test('other addresses ignore the path: a search is not a loop', async () => {
  const answer = await installation.call({ url: '/v3/pipeline', headers: { [PATH_HEADER]: logId } })
  expect(answer.statusCode).not.toBe(508)
})
