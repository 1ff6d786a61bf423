import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigurationClient, NOT_FOUND } from '../../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const ID = expect.stringMatching(/^[0-9a-f]{10}$/)
let installation: TestInstallation
let client: ConfigurationClient

beforeAll(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterAll(() => installation.app.close())

describe('a board', () => {
  test('has every member in the answer, even those that were not sent', async () => {
    expect(await client.post('board', { title: 'Web' })).toEqual({
      boardid: ID,
      account: installation.credentials.accountId,
      title: 'Web',
      graphs: [],
      order: [],
      category: [],
    })
  })

  test('gives its graphs ids and a type, and keeps unknown members of them', async () => {
    const graph = {
      graphid: '0a1b2c3d4e',
      title: 'errors',
      type: 'bar',
      query: 'level:error',
      hosts: ['h'],
      apps: ['a'],
      levels: ['error'],
      tags: ['t'],
      field: 'duration',
      aggregation: 'p95',
      groupby: 'app',
      interval: '1m',
    }
    const other = { name: 'requests', prefs: { width: 2, colors: ['#fff', null] } }
    const board = await client.post('board', {
      title: 'Web',
      graphs: [graph, other],
      order: ['x', '0a1b2c3d4e'],
    })
    expect(board).toMatchObject({
      graphs: [graph, { ...other, graphid: ID, type: 'line' }],
      order: ['x', '0a1b2c3d4e'],
    })
    expect(await client.get(`board/${board.boardid}`)).toEqual(board)
    expect(await client.put(`board/${board.boardid}`, board)).toEqual(board)
    expect(await client.get('board')).toContainEqual(board)
  })

  test('is replaced as a whole and deleted', async () => {
    const board = await client.post('board', { title: 'Old', graphs: [{ type: 'line' }], order: ['x'] })
    const replaced = await client.put(`board/${board.boardid}`, { title: 'New' })
    expect(replaced).toEqual({ ...board, title: 'New', graphs: [], order: [] })
    expect(await client.delete(`board/${board.boardid}`)).toEqual({ deleted: true })
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(
        await client.refusal(method, `board/${board.boardid}`, method === 'PUT' ? { title: 'x' } : undefined),
      ).toEqual(NOT_FOUND)
  })

  test('has categories of boards, whose new names it shows, and which it loses when they are deleted', async () => {
    const { id } = await client.post('categories/boards', { name: 'Team A' })
    await client.post('categories/views', { name: 'Views only' })
    const { boardid, category } = await client.post('board', { title: 'Web', category: ['TEAM A'] })
    expect(category).toEqual(['Team A'])
    await client.put(`categories/boards/${id}`, { name: 'Team B' })
    expect(await client.get(`board/${boardid}`)).toMatchObject({ category: ['Team B'] })
    await client.delete(`categories/boards/${id}`)
    expect(await client.get(`board/${boardid}`)).toMatchObject({ category: [] })
    const error = 'Invalid category name(s): views only, Team B'
    expect(await client.refusal('POST', 'board', { title: 'x', category: ['views only', 'Team B'] })).toEqual(
      [400, { error, code: 'BadRequest', status: 'error' }],
    )
  })
})

describe('a board is refused', () => {
  const of = (graph: unknown) => ({ title: 'a', graphs: [graph] })
  test.each<[string, object, string[]]>([
    ['without a title', {}, ['"title" is required']],
    ['with an empty title', { title: '' }, ['"title" is not allowed to be empty']],
    ['with a text as graphs', { title: 'a', graphs: 'x' }, ['"graphs" must be an array']],
    ['with a number as graph', of(5), ['"graphs[0]" must be of type object']],
    [
      'with a type of graph that there is not',
      of({ type: 'pie' }),
      ['"graphs[0].type" must be one of [line, bar, table, count]'],
    ],
    [
      'with an id that is none',
      of({ graphid: 'x' }),
      ['"graphs[0].graphid" must match pattern "^[0-9a-f]{10}$"'],
    ],
    [
      'with one id for two graphs',
      { title: 'a', graphs: [{ graphid: '0a1b2c3d4e' }, {}, { graphid: '0a1b2c3d4e' }, {}] },
      ['"graphs[2]" contains a duplicate value'],
    ],
    [
      'with a query that cannot be read',
      of({ query: 'a)' }),
      ['"graphs[0].query" has an unbalanced parenthesis at character 2'],
    ],
    [
      'with an aggregation that there is not',
      of({ aggregation: 'p50' }),
      ['"graphs[0].aggregation" must be one of [count, sum, avg, min, max, p95]'],
    ],
    ['with an empty host', of({ hosts: [''] }), ['"graphs[0].hosts[0]" is not allowed to be empty']],
    ['with a number in the order', { title: 'a', order: [1] }, ['"order[0]" must be a string']],
    ['with an empty category', { title: 'a', category: [''] }, ['"category[0]" is not allowed to be empty']],
  ])('%s', async (_name, body, messages) => {
    const { boardid } = await client.post('board', { title: 'a' })
    expect(await client.findings('POST', 'board', body)).toEqual(messages)
    expect(await client.findings('PUT', `board/${boardid}`, body)).toEqual(messages)
  })
})
