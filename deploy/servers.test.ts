import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { openServers } from './servers.ts'
import { readSettings } from './settings/settings.ts'

let folder: string
let installation: Installation | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-servers-'))
})
afterEach(async () => {
  if (installation !== undefined) await closeInstallation(installation)
  installation = undefined
  rmSync(folder, { recursive: true })
})

async function serve(given: Readonly<Record<string, string>>) {
  const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1', ...given })
  const logger = pino({ level: 'silent' })
  installation = await openInstallation(settings, logger)
  const serves = { lines: true, api: true }
  const { api } = await openServers(settings, { ...installation, serves }, undefined, logger)
  const headers = { authorization: `Token ${installation.keys.accessToken}` }
  return {
    get: (url: string) => api.inject({ url, headers }),
    post: (url: string, payload?: object) =>
      api.inject({ method: 'POST', url, headers, ...(payload && { payload }) }),
  }
}

test('limits of the operator hold at the API', async () => {
  const { get, post } = await serve({ WEIR_MAX_EXPORT_LINES: '12345', WEIR_MAX_MEMBER_KEYS: '2' })
  expect((await get('/v1/export?from=1&to=2&size=12346')).json().error).toBe(
    '"size" must be less than or equal to 12345',
  )
  const key = { name: 'key', kind: 'user', email: 'owner@weir.local', scope: 'admin' }
  const statuses = []
  for (let at = 0; at < 3; at++) statuses.push((await post('/v1/config/tokens', key)).statusCode)
  expect(statuses).toEqual([200, 200, 400])
})
