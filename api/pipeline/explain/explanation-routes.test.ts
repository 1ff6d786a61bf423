import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lineId } from '../../../schemas/log/position.ts'
import {
  DEAD_LETTER_TOPIC,
  INGEST_TOPIC,
  KEYED_TOPIC,
  OUTBOX_TOPIC,
  partitionOfAccount,
} from '../../../schemas/log/topics.ts'
import { lineBatchValue } from '../../../test/support/line-batches.ts'
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

  /** Appends requests of one line or more as one record. @returns the batch ids of their answers */
  const appended = async (...requests: readonly (readonly string[])[]): Promise<string[]> => {
    const { ports, credentials } = installation
    const { ingest } = ports.deadLetters
    const partition = partitionOfAccount(credentials.accountId, ingest.partitions)
    const value = lineBatchValue(
      requests.map(lines => ({ lines: lines.map(line => ({ line })) })),
      credentials.accountId,
    )
    const { offset } = await ingest.append(partition, { value, producer: null, priority: 'ingest' })
    return requests.map((_, number) => `${ingest.logId.slice(0, 8)}:${partition}:${offset}:${number}`)
  }

  test('is explained by its batch, alone of the requests of its record', async () => {
    const texts: string[][] = []
    for (const batch of await appended(['first'], ['one', 'two'], ['three'])) {
      const answer = await ofAccount({ batch_id: batch })
      expect(answer.statusCode, answer.body).toBe(200)
      const lines: { event: { message: { line: string } }; summary: string }[] = answer.json().data
      expect(lines.map(({ summary }) => summary)).toEqual(lines.map(() => 'Without a pipeline: stored once.'))
      texts.push(lines.map(({ event }) => event.message.line))
    }
    expect(texts).toEqual([['first'], ['one', 'two'], ['three']])
  })

  test('that the log does not have, or another account has, is not found', async () => {
    const [batch] = (await appended(['own'])) as [string]
    const [log, partition, offset] = batch.split(':') as [string, string, string, string]
    const topics = [INGEST_TOPIC, KEYED_TOPIC, DEAD_LETTER_TOPIC, OUTBOX_TOPIC] as const
    const place = {
      timeMs: 0,
      topic: topics[0],
      partition: Number(partition),
      offset: BigInt(offset),
      row: 0,
    }
    const absent = [
      ...[
        `00000000:${partition}:${offset}:0`,
        `${log}:9999:${offset}:0`,
        `${log}:${partition}:99999:0`,
        `${log}:${partition}:${offset}:1`,
      ].map(id => ({ batch_id: id })),
      ...[
        ...[{ partition: 4095 }, { offset: 99_999n }, { row: 7 }].map(other => ({ ...place, ...other })),
        ...topics.slice(1).map(topic => ({ ...place, topic })),
      ].map(parts => ({ line_id: lineId(parts) })),
      { line_id: '9'.repeat(38) },
    ]
    for (const query of absent) {
      const { statusCode, body } = await ofAccount(query)
      expect([query, statusCode, body]).toEqual([query, 404, expect.any(String)])
    }
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789', scope: 'admin' })}`
    for (const query of [{ batch_id: batch }, { line_id: lineId(place) }]) {
      expect((await ofAccount(query)).statusCode).toBe(200)
      expect((await ofAccount(query, { authorization })).statusCode).toBe(404)
    }
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
