import { readFileSync } from 'node:fs'
import { generateAst, parseSpec, printAst } from 'oazapfts'
import { createContext } from 'oazapfts/context'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

type Operations = Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>

/** Method, path and status of each answer whose schema, or a part of it that is not named, lists members of an object. */
function answersWithOwnMembers(paths: Operations): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses = {} }]) =>
      Object.entries(responses)
        .filter(([, response]) => JSON.stringify(response).includes('"properties":'))
        .map(([status]) => `${method} ${path} ${status}`),
    ),
  )
}

test('an answer that lists its own members is found, also in an array', () => {
  const own = { type: 'object', properties: { status: { type: 'string' } } }
  const answer = (schema: object) => ({ content: { 'application/json': { schema } } })
  const responses = {
    200: answer(own),
    202: answer({ type: 'array', items: own }),
    204: answer({ $ref: '#/components/schemas/V1Error' }),
  }
  expect(answersWithOwnMembers({ '/here': { get: { responses } } })).toEqual([
    'get /here 200',
    'get /here 202',
  ])
})

describe('of the present routes (renew with `npm run docs`)', () => {
  let installation: TestInstallation
  let document: string

  beforeAll(async () => {
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, version } })
    const response = await installation.app.inject({ url: '/openapi.json' })
    document = JSON.stringify(response.json(), null, 2)
  })
  afterAll(() => installation.app.close())

  test('docs/openapi.json is the document', async () => {
    await expect(`${document}\n`).toMatchFileSnapshot('../../docs/openapi.json')
  })

  test('is made in steps of a few routes, a path or a node type', () => {
    const making = installation.app.makeDocument()
    let steps = 0
    while (!making.next().done) steps++
    const { paths, components } = JSON.parse(document)
    const nodeTypes = Object.keys(components.schemas).filter(name => name.includes('.'))
    expect(steps).toBeGreaterThan(Object.keys(paths).length + nodeTypes.length + 40)
  })

  test('no answer has an object without a name', () => {
    const { paths } = JSON.parse(document)
    expect(answersWithOwnMembers(paths)).toEqual([])
    expect(JSON.stringify(paths)).toContain('"$ref":"#/components/schemas/PipelineRecordEnvelope"')
  })

  test('test/client/api-client.ts is the client that is generated from the document', async () => {
    const context = createContext(await parseSpec(JSON.parse(document)), { useUnknown: true })
    const client = printAst(await generateAst(context))
    await expect(client).toMatchFileSnapshot('../../test/client/api-client.ts')
  })
})
