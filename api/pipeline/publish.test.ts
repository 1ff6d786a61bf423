import Type from 'typebox'
import { expect, test } from 'vitest'
import { Seal } from '../../engine/configuration/seal.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { defineProcessor, type Processor } from '../../engine/nodes/contract/define-processor.ts'
import { Secret } from '../../engine/nodes/contract/secret.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { PIPELINES, PipelineClient } from '../../test/support/pipeline-client.ts'
import { stamp } from '../../test/support/stamp-processor.ts'
import { testInstallation } from '../../test/support/test-installation.ts'

/** A processor that cannot run without its secret, and does not say that the fold needs it. */
const locked = defineProcessor({
  type: 'locked',
  summary: 'Pass every event.',
  config: Type.Object({ key: Secret({ description: 'Key' }) }, { additionalProperties: false }),
  errors: [],
  compile: () => event => event,
  configs: [],
  examples: [],
})

/** Publishes a pipeline with a node of a processor that has a key. @returns the answer, and the id of the node */
async function publishedWith(processor: Processor, hasSeal: boolean) {
  const types = catalogueWith({ processors: [processor] })
  const catalogue = hasSeal ? types.withSeal(new Seal(Buffer.alloc(32, 1), seededEntropy(1))) : types
  const installation = await testInstallation({ catalogue })
  const client = new PipelineClient(installation)
  const { id } = await client.create('pipeline', PIPELINES, { title: 'P' })
  const url = `${PIPELINES}/${id}`
  const source = await client.create('source', `${url}/source`, { type: 'log-analysis-ingestion' })
  const sent = { type: processor.type, user_config: { key: 'k' }, inputs: [source.id] }
  const { id: node } = await client.create('transform', `${url}/transform`, sent)
  await client.create('sink', `${url}/sink`, { type: 'blackhole', inputs: [node] })
  const { status, body } = await client.send('POST', `${url}/publish`)
  await installation.app.close()
  return { status, errors: body.errors, node }
}

test.each([
  ['does not name', locked, true],
  ['names, but that cannot be sealed', stamp, false],
])('a node that needs a secret which its processor %s is refused', async (_title, processor, hasSeal) => {
  const { status, errors, node } = await publishedWith(processor, hasSeal)
  const message = `must be a pipeline that can run: options of node ${node}: must have required property 'key'`
  expect([status, errors]).toEqual([400, [{ instancePath: '', message }]])
})

test('a node that needs a secret which its processor names is published', async () => {
  expect((await publishedWith(stamp, true)).status).toBe(200)
})

test('a script outside the language is saved, and its pipeline is published after it was changed', async () => {
  const installation = await testInstallation()
  const client = new PipelineClient(installation)
  const { id } = await client.create('pipeline', PIPELINES, { title: 'P' })
  const url = `${PIPELINES}/${id}`
  const source = await client.create('source', `${url}/source`, { type: 'log-analysis-ingestion' })
  const sent = (script: string) => ({ type: 'js-script', user_config: { script }, inputs: [source.id] })
  const script = 'function f(msg) {\n  while (msg.a) { msg.a = null }\n  return msg\n}'
  const node = await client.create('transform', `${url}/transform`, sent(script))
  expect(node.user_config).toEqual({ script })
  await client.create('sink', `${url}/sink`, { type: 'blackhole', inputs: [node.id] })
  const { status, body } = await client.send('POST', `${url}/publish`)
  expect(status).toBe(400)
  expect(JSON.stringify(body.errors)).toContain(
    'script cannot run: a \\"while\\" loop is not available (line 2, column 3)',
  )
  await client.update('transform', `${url}/transform/${node.id}`, sent(script.replace('while', 'if')))
  expect((await client.send('POST', `${url}/publish`)).status).toBe(200)
  await installation.app.close()
})
