import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../engine/nodes/catalogue.ts'
import { secretPlaces } from '../../../engine/nodes/contract/secret.ts'
import type { NodeType } from '../../../schemas/http/pipeline/node-type-api.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { NODE_KINDS } from '../links.ts'

const URL = '/v3/pipeline/node-type'

let installation: TestInstallation
let types: readonly NodeType[]

beforeAll(async () => {
  installation = await testInstallation()
  types = (await installation.call({ url: URL })).json().data
})
afterAll(() => installation.app.close())

function typeNamed(kind: string, type: string): NodeType {
  const found = types.find(each => each.kind === kind && each.type === type)
  if (found === undefined) throw new Error(`there is no ${kind} ${type}`)
  return found
}

test('every type of the catalogue is listed once, in its order', () => {
  const declared = NODE_KINDS.flatMap(kind => CATALOGUE.declarations[kind].map(({ type }) => [kind, type]))
  expect(types.map(({ kind, type }) => [kind, type])).toEqual(declared)
})

test('a processor has its errors with their meaning, and the outputs of each example', () => {
  const unroll = typeNamed('transform', 'unroll')
  expect(unroll).toMatchObject({ runs: true, outputs: 'default', feature: null })
  expect(unroll.errors).toContainEqual({
    code: 'E_UNROLL_BAD_TYPE',
    meaning: 'the field to unroll is not an array',
  })
  const route = typeNamed('transform', 'route')
  expect(route.outputs).toBe('by_options')
  expect(route.examples[0]?.outputs.map(({ label }) => label)).toContain('Unmatched')
  expect(typeNamed('sink', 'blackhole').outputs).toBe('none')
  expect(typeNamed('source', 'kafka').runs).toBe(false)
})

describe('a schema of options', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  test('accepts every example without any other document, and refuses an unknown option', () => {
    for (const { config, examples, kind, type } of types) {
      const accepts = ajv.compile(config)
      for (const { user_config } of examples) expect(accepts(user_config), `${kind} ${type}`).toBe(true)
      expect(accepts({ ...examples[0]?.user_config, surplus_member: 1 }), `${kind} ${type}`).toBe(false)
    }
  })

  test('marks exactly the secrets as write-only', () => {
    for (const { config, kind, type } of types) {
      const declaration = CATALOGUE.declarationOf(kind, type)!
      const marked = secretPlaces(
        JSON.parse(JSON.stringify(config).replaceAll('"writeOnly":', '"secret":')) as object,
      )
      expect(marked, `${kind} ${type}`).toEqual(secretPlaces(declaration.config))
    }
    expect(JSON.stringify(typeNamed('sink', 'splunk-hec-logs').config)).toContain('"writeOnly":true')
  })
})

test('somebody who only reads gets the list, and nobody else without a token', async () => {
  const authorization = `Token ${await installation.user('readonly')}`
  expect((await installation.call({ url: URL, headers: { authorization } })).json().data).toEqual(types)
  expect((await installation.app.inject({ url: URL })).statusCode).toBe(401)
})
