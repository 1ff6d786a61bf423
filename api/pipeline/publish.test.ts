import Type from 'typebox'
import { expect, test } from 'vitest'
import { defineProcessor } from '../../engine/nodes/contract/define-processor.ts'
import { Secret } from '../../engine/nodes/contract/secret.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { PIPELINES, PipelineClient } from '../../test/support/pipeline-client.ts'
import { testInstallation } from '../../test/support/test-installation.ts'

/** A processor that cannot run without its secret, which partitions do not receive. */
const locked = defineProcessor({
  type: 'locked',
  summary: 'Pass every event.',
  config: Type.Object({ key: Secret({ description: 'Key' }) }, { additionalProperties: false }),
  errors: [],
  compile: () => event => event,
  configs: [],
  examples: [],
})

test('a node that partitions could not compile is refused at publication', async () => {
  const installation = await testInstallation({ catalogue: catalogueWith({ processors: [locked] }) })
  const client = new PipelineClient(installation)
  const { id } = await client.create('pipeline', PIPELINES, { title: 'P' })
  const url = `${PIPELINES}/${id}`
  const source = await client.create('source', `${url}/source`, { type: 'log-analysis-ingestion' })
  const sent = { type: 'locked', user_config: { key: 'k' }, inputs: [source.id] }
  const { id: node } = await client.create('transform', `${url}/transform`, sent)
  await client.create('sink', `${url}/sink`, { type: 'blackhole', inputs: [node] })
  const { status, body } = await client.send('POST', `${url}/publish`)
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        instancePath: '',
        message: `must be a pipeline that can run: options of node ${node}: must have required property 'key'`,
      },
    ],
  ])
  await installation.app.close()
})
