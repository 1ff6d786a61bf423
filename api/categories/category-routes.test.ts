import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigurationClient, NOT_FOUND } from '../../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const TYPES = ['views', 'boards', 'screens']
const TAKEN = [409, { error: expect.any(String), code: 'Conflict', status: 'error' }]
let installation: TestInstallation
let client: ConfigurationClient

beforeAll(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterAll(() => installation.app.close())

describe.each(TYPES)('categories of %s', type => {
  const path = `categories/${type}`

  test('are created, listed, read, renamed and deleted', async () => {
    const first = await client.post(path, { name: 'Team A' })
    const second = await client.post(path, { name: 'Team B', more: 1 })
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f]{10}$/), type, name: 'Team A' })
    expect(await client.get(path)).toEqual([first, second])
    const renamed = await client.put(`${path}/${first.id}`, { name: 'TEAM A' })
    expect(renamed).toEqual({ ...first, name: 'TEAM A' })
    expect(await client.get(`${path}/${first.id}`)).toEqual(renamed)
    expect(await client.delete(`${path}/${second.id}`)).toEqual({ deleted: true })
    expect(await client.get(path)).toEqual([renamed])
  })

  test('have a name that is unique for their type, regardless of case', async () => {
    const first = await client.post(path, { name: 'Größe' })
    const second = await client.post(path, { name: 'Other' })
    expect(await client.refusal('POST', path, { name: 'GRÖßE' })).toEqual(TAKEN)
    expect(await client.refusal('PUT', `${path}/${second.id}`, { name: 'größe' })).toEqual(TAKEN)
    expect(await client.get(`${path}/${second.id}`)).toEqual(second)
    await client.delete(`${path}/${first.id}`)
    expect(await client.put(`${path}/${second.id}`, { name: 'größe' })).toMatchObject({ name: 'größe' })
  })

  test('are not found as another type', async () => {
    const { id } = await client.post(path, { name: 'Only here' })
    for (const other of TYPES.filter(each => each !== type)) {
      expect(await client.refusal('GET', `categories/${other}/${id}`)).toEqual(NOT_FOUND)
      expect(await client.refusal('PUT', `categories/${other}/${id}`, { name: 'x' })).toEqual(NOT_FOUND)
      expect(await client.refusal('DELETE', `categories/${other}/${id}`)).toEqual(NOT_FOUND)
    }
    expect(await client.get(`${path}/${id}`)).toMatchObject({ name: 'Only here' })
    expect(await client.refusal('GET', `${path}/nonsense`)).toEqual(NOT_FOUND)
  })

  test.each<[string, object, string]>([
    ['without a name', {}, '"name" is required'],
    ['with an empty name', { name: '' }, '"name" is not allowed to be empty'],
    ['with a list as name', { name: [] }, '"name" must be a string'],
  ])('are refused %s', async (_name, body, message) => {
    expect(await client.findings('POST', path, body)).toEqual([message])
    expect(await client.findings('PUT', `${path}/0a1b2c3d4e`, body)).toEqual([message])
  })
})

test.each(['nope', 'Views', '%20'])('%s is not a type', async type => {
  const message = '"type" must be one of [views, boards, screens]'
  expect(await client.findings('GET', `categories/${type}`, '')).toEqual([message])
  expect(await client.findings('POST', `categories/${type}`, { name: 'a' })).toEqual([message])
  expect(await client.findings('GET', `categories/${type}/0a1b2c3d4e`, '')).toEqual([message])
  expect(await client.findings('PUT', `categories/${type}/0a1b2c3d4e`, { name: 'a' })).toEqual([message])
  expect(await client.findings('DELETE', `categories/${type}/0a1b2c3d4e`, '')).toEqual([message])
})

test('two accounts can have a category of one name, and neither sees the other', async () => {
  const { id } = await client.post('categories/views', { name: 'Shared' })
  await installation.account('0123456789')
  const token = await installation.token({ account: '0123456789' })
  const other = new ConfigurationClient(installation, { authorization: `Token ${token}` })
  expect(await other.refusal('GET', `categories/views/${id}`)).toEqual(NOT_FOUND)
  const theirs = await other.post('categories/views', { name: 'Shared' })
  expect(await other.get('categories/views')).toEqual([theirs])
})
