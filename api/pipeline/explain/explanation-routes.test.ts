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

describe('a line of the account', () => {
  const ofAccount = async (query: Record<string, string>, headers = {}) =>
    installation.call({ url: '/v3/explain', query, headers })
  const linesOf = (body: string) =>
    body
      .trim()
      .split('\n')
      .map(text => JSON.parse(text).line)
      .filter(line => line !== undefined)
  test('is explained without a pipeline: the default graph stored it', async () => {
    const { body } = await ofAccount({ query: 'timeout', from: '1700000000' })
    const [line] = linesOf(body)
    expect(line.pipelines).toEqual([])
    expect(line.stored).toMatchObject([{ pipeline_id: null, node_id: null }])
    expect(line.summary).toBe('Without a pipeline: stored once.')
  })

  test('is left out where only missing lines are wanted', async () => {
    const found = async (missing: string) => {
      const { body } = await ofAccount({ query: 'timeout', from: '1700000000', missing })
      return linesOf(body).length
    }
    expect([await found('false'), await found('true')]).toEqual([1, 0])
    const wrong = await ofAccount({ query: 'a', from: '0', missing: 'yes' })
    expect(wrong.json().errors[0].instancePath).toBe('/missing')
  })

  test('is explained by its batch', async () => {
    const sent = await installation.call({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      payload: { lines: [{ line: 'one' }, { line: 'two' }] },
      headers: { apikey: installation.credentials.ingestionKey },
    })
    const answer = await ofAccount({ batch_id: sent.json().batchID })
    expect(answer.statusCode, answer.body).toBe(200)
    const lines: { event: { message: { line: string } }; summary: string }[] = answer.json().data
    expect(lines.map(({ event }) => event.message.line)).toEqual(['one', 'two'])
    expect(lines.map(({ summary }) => summary)).toEqual(lines.map(() => 'Without a pipeline: stored once.'))
  })

  test('is not shown to another account, and bad requests name what is wrong', async () => {
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    const other = await ofAccount({ query: 'timeout', from: '1700000000' }, { authorization })
    expect(linesOf(other.body)).toEqual([])
    for (const query of [
      {},
      { query: 'a' },
      { query: '(', from: '0' },
      { line_id: 'x' },
      { batch_id: 'x' },
    ]) {
      const answer = await ofAccount(query as Record<string, string>)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'EVALIDATION'])
    }
    expect((await ofAccount({ query: 'a', from: '0', limit: '101' })).json().errors[0].instancePath).toBe(
      '/limit',
    )
  })
})
