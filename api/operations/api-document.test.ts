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

  test('every object of an answer with data is named', () => {
    const { paths } = JSON.parse(document)
    const text = JSON.stringify(paths)
    expect(text).toContain('"$ref":"#/components/schemas/PipelineRecordEnvelope"')
    expect(text).not.toMatch(/"data":\{"(\$ref|type)"/)
  })

  test('test/client/api-client.ts is the client that is generated from the document', async () => {
    const context = createContext(await parseSpec(JSON.parse(document)), { useUnknown: true })
    const client = printAst(await generateAst(context))
    await expect(client).toMatchFileSnapshot('../../test/client/api-client.ts')
  })
})
