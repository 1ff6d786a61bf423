import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeKind } from '../../engine/nodes/contract/catalogue.ts'
import { storedOptions } from '../../test/support/stored-options.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const KINDS = Object.keys(CATALOGUE.declarations) as NodeKind[]
const TYPES = KINDS.flatMap(kind =>
  CATALOGUE.declarations[kind].map(declaration => [kind, declaration.type, declaration] as const),
)
const CONDITIONAL = { expressions: [{ field: '.a', str_operator: 'exists' }] }

let installation: TestInstallation
let ajv: Ajv2020

beforeAll(async () => {
  installation = await testInstallation()
  const document = (await installation.app.inject({ url: '/openapi.json' })).json()
  ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
})
afterAll(() => installation.app.close())

function accepts(method: 'post' | 'put', kind: NodeKind, body: object): boolean {
  const path = `/v3/pipeline/{pipelineId}/${kind}${method === 'put' ? '/{nodeId}' : ''}`
  const pointer = `document#/paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`
  const validate = ajv.getSchema(encodeURI(pointer))
  if (validate === undefined) throw new Error(`the document has no ${pointer}`)
  return validate(body) as boolean
}

describe.each(TYPES)('the document of %s %s', (kind, type, { aliases = [], configs }) => {
  test('accepts the sent and the stored form, under every name of the type', () => {
    for (const name of [type, ...aliases]) {
      for (const user_config of configs.flatMap(example => [example.sent, storedOptions(example)])) {
        expect(accepts('post', kind, { type: name, user_config }), JSON.stringify(user_config)).toBe(true)
        expect(accepts('put', kind, { type: name, user_config, title: 'T' })).toBe(true)
        expect(accepts('put', kind, { user_config })).toBe(true)
      }
    }
  })

  test('refuses a member that the type does not have', () => {
    const user_config = { ...configs[0]?.sent, surplus_member: 1 }
    expect(accepts('post', kind, { type, user_config })).toBe(false)
    expect(accepts('put', kind, { type, user_config })).toBe(false)
  })
})

test.each<[string, NodeKind, object]>([
  ['no type', 'sink', { user_config: {} }],
  ['an unknown type', 'sink', { type: 'nonsense' }],
  ['a type of another kind', 'sink', { type: 'stringify' }],
  ['options of another type', 'transform', { type: 'stringify', user_config: { fields: ['.a'] } }],
  ['no options where some are needed', 'transform', { type: 'drop-fields' }],
  [
    'an operator that there is not',
    'transform',
    {
      type: 'filter',
      user_config: { action: 'drop', conditional: { expressions: [{ field: '.a', str_operator: 'x' }] } },
    },
  ],
  ['a wrong title', 'sink', { type: 'blackhole', title: '' }],
])('%s is refused', (_about, kind, body) => {
  expect(accepts('post', kind, body)).toBe(false)
})

test('conditions are nested', () => {
  const nested = { expressions: [CONDITIONAL, ...CONDITIONAL.expressions], logical_operation: 'OR' }
  expect(
    accepts('post', 'transform', { type: 'filter', user_config: { action: 'drop', conditional: nested } }),
  ).toBe(true)
})

test('validation does not use all this: one wrong type has one finding', async () => {
  const pipeline = await installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'P' } })
  const url = `/v3/pipeline/${pipeline.json().data.id}/sink`
  const { errors } = (await installation.call({ method: 'POST', url, payload: { type: 'nonsense' } })).json()
  expect(errors).toEqual([{ instancePath: '/type', message: 'must be equal to one of the allowed values' }])
})
