import { expect, test } from 'vitest'
import { catalogueWith } from '../../../test/support/catalogue-with.ts'
import { PIPELINES, PipelineClient } from '../../../test/support/pipeline-client.ts'
import { testInstallation } from '../../../test/support/test-installation.ts'
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
