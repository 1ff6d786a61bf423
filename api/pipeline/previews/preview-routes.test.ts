import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setSpread } from '../../../engine/configuration/kinds/spread.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { lineBatchValue } from '../../../test/support/line-batches.ts'
import { PIPELINES, PipelineClient } from '../../../test/support/pipeline-client.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { declaredTypes } from '../../../test/support/toy-nodes.ts'

test('a preview of a draft with a node that this version does not run is refused', async () => {
  const installation = await testInstallation({ catalogue: catalogueWith(declaredTypes) })
  const client = new PipelineClient(installation)
  const { id } = await client.create('pipeline', PIPELINES, { title: 'P' })
  const url = `${PIPELINES}/${id}`
  const source = await client.create('source', `${url}/source`, { type: 'log-analysis-ingestion' })
  const sent = { type: 'declared-processor', inputs: [source.id] }
  const { id: node } = await client.create('transform', `${url}/transform`, sent)
  const { status, body } = await client.send('POST', `${url}/preview`, {})
  await installation.app.close()
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        instancePath: `/transform/${node}/type`,
        message: expect.stringContaining('is not available on this server yet'),
      },
    ],
  ])
})

describe('a preview of a pipeline in the request', () => {
  let installation: TestInstallation
  let client: PipelineClient
  let id: string
  let sourceId: string

  beforeEach(async () => {
    installation = await testInstallation()
    client = new PipelineClient(installation)
    id = (await client.create('pipeline', PIPELINES, { title: 'P' })).id as string
    const at = `${PIPELINES}/${id}`
    sourceId = (await client.create('source', `${at}/source`, { type: 'log-analysis-ingestion' }))
      .id as string
    await client.create('sink', `${at}/sink`, { type: 'log-analysis', inputs: [sourceId] })
    await client.send('POST', `${at}/publish`, {})
    const sent = await installation.app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      headers: { apikey: installation.credentials.ingestionKey },
      payload: { lines: [{ line: 'kept' }, { line: 'noise' }] },
    })
    expect(sent.statusCode).toBe(200)
    installation.clock.advance(1_000)
  })
  afterEach(() => installation.app.close())

  const url = () => `${PIPELINES}/${id}/preview`
  const file = (more: object = {}) => ({
    weir: 'pipeline/1',
    title: 'Not saved',
    sources: [{ name: sourceId, type: 'log-analysis-ingestion' }],
    processors: [
      {
        name: 'less-noise',
        type: 'filter',
        inputs: [sourceId],
        config: {
          action: 'drop',
          conditional: { expressions: [{ field: '.line', str_operator: 'equal', value: 'noise' }] },
        },
      },
    ],
    destinations: [{ name: 'out', type: 'log-analysis', inputs: ['less-noise'] }],
    ...more,
  })

  /** The record of a preview, once it is over. */
  const ended = async (preview: string) => {
    for (;;) {
      const { data } = (await client.send('GET', `${url()}/${preview}`)).body
      if (data.status !== 'waiting' && data.status !== 'running') return data
      await setImmediate()
    }
  }

  test('runs it, and saves nothing', async () => {
    const begun = await client.send('POST', url(), { minutes: 5, pipeline: file() })
    expect(begun.status, JSON.stringify(begun.body)).toBe(200)
    const data = await ended(begun.body.data.id)
    expect([data.status, data.message]).toEqual(['done', undefined])
    const of = (name: string) => data.result.nodes.find((each: { name?: string }) => each.name === name)
    expect(of('less-noise').draft).toMatchObject({ events_in: 2, dropped: 1 })
    expect(of(sourceId)).toMatchObject({ id: sourceId, draft: { events_out: 2 } })
    expect((await client.send('GET', `${PIPELINES}/${id}/transform`)).body.data).toEqual([])
    // No engine runs here, which would have deployed the publication.
    expect(data.result.in_force).toEqual([])
  })

  test('runs it on the lines of all partitions once the account was spread, also after it is gathered', async () => {
    const { configuration, clock, credentials, ports } = installation
    const account = credentials.accountId
    const change = { account, partitions: 2, subjectId: 'test' }
    for (const enabled of [true, false])
      await setSpread(configuration, { ...change, enabled, atMs: clock.wallMs() })
    const { ingest } = ports.deadLetters
    const elsewhere = 1 - partitionOfAccount(account, 2)
    const value = lineBatchValue([{ lines: [{ line: 'noise' }, { line: 'elsewhere' }] }], account)
    await ingest.append(elsewhere, { value, producer: null, priority: 'ingest' })
    clock.advance(1_000)
    const { body } = await client.send('POST', url(), { minutes: 5, pipeline: file() })
    const { status, progress, result } = await ended(body.data.id)
    expect([status, progress]).toEqual(['done', { records: 2, of_records: 2, lines: 4 }])
    const filter = result.nodes.find((each: { name?: string }) => each.name === 'less-noise')
    expect(filter.draft).toMatchObject({ events_in: 4, events_out: 2, dropped: 2 })
  })

  test.each([
    [{ pipeline: {}, revision: '1' }, '/pipeline'],
    [{ pipeline: [] }, '/pipeline'],
    [{ pipeline: { weir: 'pipeline/1' } }, '/pipeline'],
  ])('with %j is refused, and the place is named', async (body, place) => {
    const { status, body: answer } = await client.send('POST', url(), body)
    expect([status, answer.errors[0].instancePath]).toEqual([400, place])
  })

  test('with a wrong node is refused with its place in the request', async () => {
    const wrong = file({ destinations: [{ name: 'out', type: 'log-analysis', inputs: ['nowhere'] }] })
    const { body } = await client.send('POST', url(), { pipeline: wrong })
    expect(body.errors[0].instancePath).toBe('/pipeline/destinations/0/inputs/0')
  })
})
