import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'

let installation: TestInstallation
let pipeline: string

beforeEach(async () => {
  installation = await testInstallation()
  const created = await installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'p' } })
  pipeline = created.json().data.id
  installation.clock.advance(500)
  const sent = await installation.call({
    method: 'POST',
    url: '/logs/ingest?hostname=h',
    payload: { lines: [{ line: 'a timeout' }] },
    headers: { apikey: installation.credentials.ingestionKey },
  })
  expect(sent.statusCode).toBe(200)
  installation.clock.advance(60_000)
})
afterEach(() => installation.app.close())

const explain = (bounds: Record<string, string>) =>
  installation.call({ url: `/v3/pipeline/${pipeline}/explain`, query: { query: 'timeout', ...bounds } })

async function found(bounds: Record<string, string>): Promise<number> {
  const response = await explain(bounds)
  expect(response.statusCode).toBe(200)
  const last = response.body.trim().split('\n').at(-1) ?? ''
  return JSON.parse(last).end.lines
}

describe('lines explained by a query, of 1700000000.5', () => {
  test.each([
    ['seconds, the last as a whole', '1700000000', '1700000000'],
    ['milliseconds', '1700000000500', '1700000000500'],
    ['microseconds', '1700000000500000', '1700000000500000'],
    ['nanoseconds', '1700000000500000000', '1700000000500000000'],
    ['times of both kinds', '2023-11-14T22:13:20Z', '1700000001'],
    ['the beginning of time', '0', '1700000001'],
  ])('are found in %s', async (_unit, from, to) => {
    expect(await found({ from, to })).toBe(1)
  })

  test.each([
    ['after them', '1700000001', '1700000002'],
    ['before them', '1699999998', '1699999999'],
    ['before them, in milliseconds', '1700000000000', '1700000000499'],
  ])('are not found %s', async (_when, from, to) => {
    expect(await found({ from, to })).toBe(0)
  })

  test.each(['noon', '', '9'.repeat(400)])('cannot be requested from %j', async from => {
    expect((await explain({ from })).statusCode).toBe(400)
  })
})
