import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TEST_SETTINGS, testInstallation } from '../../test/support/test-installation.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

test('docs/openapi.json is the document of the present routes (renew it with `npm run docs`)', async () => {
  const { app } = await testInstallation({ settings: { ...TEST_SETTINGS, version } })
  const document = (await app.inject({ url: '/openapi.json' })).json()
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json')
  await app.close()
})
