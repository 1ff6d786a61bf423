import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { lineId } from '../../schemas/log/position.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import type { TestInstallation } from '../../test/support/test-installation.ts'

const LINES = 60

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation
let records: readonly FoundRecord[]

interface FoundRecord {
  readonly _id: string
  readonly _line: string
}

beforeAll(async () => {
  searched = await openSearchedInstallation()
  ;({ lines, weir } = searched)
  const account = weir.credentials.accountId
  // Most lines have the same time, so that ids decide about order.
  const sent = Array.from({ length: LINES }, (_, index) => ({
    line: `{"n":${index},"big":12345678901234567890}`,
    timestamp: RECEIVED_MS + (index < 5 ? -1 : index >= LINES - 5 ? 1 : 0),
    app: index % 2 === 0 ? 'web' : 'db',
    host: `host-${index % 3}`,
    rest: {},
  }))
  for (let at = 0; at < LINES; at += 20) await lines.add(sent.slice(at, at + 20), { account })
  await lines.add([{ line: 'of somebody else' }], { account: '0000000000' })
  const parameters = { from: '0', to: String(RECEIVED_MS + DAY_MS) }
  const answer = await weir.call({ url: `/v1/export?${new URLSearchParams(parameters)}` })
  records = answer.body
    .split('\n')
    .slice(0, -1)
    .map(text => JSON.parse(text) as FoundRecord)
  expect(records).toHaveLength(LINES)
})

afterAll(() => searched.close())

const idAt = (index: number) => (records[index] as FoundRecord)._id

function get(parameters: Readonly<Record<string, string>>, headers = {}) {
  return weir.call({ url: `/v3/search/context?${new URLSearchParams(parameters)}`, headers })
}

async function context(index: number, parameters: Readonly<Record<string, string>> = {}, headers = {}) {
  const answer = await get({ line_id: idAt(index), ...parameters }, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

describe('a line', () => {
  test('is returned by its id, as an export returns it', async () => {
    const answer = await weir.call({ url: `/v3/search/line/${idAt(7)}` })
    expect(answer.json().data).toEqual(records[7])
    // The number keeps all its digits.
    expect(answer.body).toContain('"big":12345678901234567890')
  })

  test('that does not exist, or belongs to somebody else, is 404', async () => {
    const theirs = lineId({ timeMs: RECEIVED_MS, topic: INGEST_TOPIC, partition: 0, offset: 4n, row: 0 })
    for (const id of ['1', 'x', theirs, `${BigInt(idAt(0)) + 40n}`, '9'.repeat(39)])
      expect((await weir.call({ url: `/v3/search/line/${id}` })).statusCode, id).toBe(404)
    expect((await weir.call({ url: `/v3/search/line/${idAt(0)}?more=1` })).statusCode).toBe(400)
  })
})

describe('the context of a line', () => {
  test.each([0, 4, 5, 30, LINES - 6, LINES - 1])(
    'has the lines before and after it: line %i',
    async index => {
      const found = await context(index, { before: '7', after: '3' })
      expect(found.before).toEqual(records.slice(Math.max(0, index - 7), index))
      expect(found.line).toEqual(records[index])
      expect(found.after).toEqual(records.slice(index + 1, index + 4))
      expect(found.more_before).toBe(index > 7)
      expect(found.more_after).toBe(index + 3 < LINES - 1)
    },
  )

  test('has 50 lines each by default, and none if none are wanted', async () => {
    expect((await context(55)).before).toHaveLength(50)
    expect(await context(30, { before: '0', after: '0' })).toMatchObject({
      ...{ before: [], after: [], more_before: true, more_after: true },
    })
  })

  test('can be limited to hosts and apps', async () => {
    const { before, after } = await context(31, {
      apps: 'web',
      hosts: 'host-0,host-1',
      before: '2',
      after: '2',
    })
    const texts = [...before, ...after].map(({ _line }: FoundRecord) => JSON.parse(_line).n)
    expect(texts).toEqual([28, 30, 34, 36])
  })

  test('contains only what the caller may see', async () => {
    const headers = await searched.memberLimitedTo('app:web')
    const { before, after } = await context(30, { before: '2', after: '2' }, headers)
    expect([...before, ...after]).toEqual([26, 28, 32, 34].map(index => records[index]))
    expect((await get({ line_id: idAt(31) }, headers)).statusCode).toBe(404)
    expect((await weir.call({ url: `/v3/search/line/${idAt(31)}`, headers })).statusCode).toBe(404)
  })

  test.each([
    [{}, '/line_id', '"line_id" is required'],
    [{ line_id: 'x' }, '/line_id', '"line_id" must be the "_id" of a line'],
    [{ line_id: '1', before: '-1' }, '/before', '"before" must be greater than or equal to 0'],
    [{ line_id: '1', after: '1001' }, '/after', '"after" must be less than or equal to 1000'],
    [{ line_id: '1', query: 'a' }, '/query', '"query" is not allowed'],
  ])('%j is 400 for %s', async (parameters, pointer, message) => {
    const answer = await get(parameters as Record<string, string>)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors).toEqual([{ instancePath: pointer, message }])
  })

  test('of a line that does not exist is 404', async () => {
    expect((await get({ line_id: '1' })).statusCode).toBe(404)
  })
})
