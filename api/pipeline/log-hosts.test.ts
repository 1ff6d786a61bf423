import { describe, expect, test } from 'vitest'
import { TEST_SETTINGS, type TestInstallation, testInstallation } from '../test-installation.ts'

async function withPipeline(
  destinations: object,
  check: (send: (method: 'POST' | 'PUT', path: string, payload: object) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const installation: TestInstallation = await testInstallation({
    settings: { ...TEST_SETTINGS, destinations },
  })
  const created = await installation.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'P' } })
  await check(async (method, path, payload) => {
    const url = `/v3/pipeline/${created.json().data.id}${path}`
    const response = await installation.call({ method, url, payload })
    return { status: response.statusCode, body: response.json() }
  })
  await installation.app.close()
}

interface Answer {
  readonly status: number
  readonly body: {
    readonly data: { readonly id: string; readonly user_config: object }
    readonly errors: readonly { readonly instancePath: string; readonly message: string }[]
  }
}

describe('with a pattern for hosts', () => {
  const destinations = { logHostPattern: /^logs\.example\.com$/, ingestHost: 'weir.local:8080' }

  test('what the server filled in can be sent back, in any case of letters', () =>
    withPipeline(destinations, async send => {
      const { body } = await send('POST', '/sink', { type: 'mezmo' })
      expect(body.data.user_config).toMatchObject({ mezmo_host: 'weir.local:8080' })
      const again = await send('PUT', `/sink/${body.data.id}`, {
        type: 'mezmo',
        user_config: body.data.user_config,
      })
      expect(again.status).toBe(200)
      const shouted = { type: 'log-analysis', user_config: { host: 'WEIR.local:8080' } }
      expect((await send('POST', '/sink', shouted)).status).toBe(200)
    }))

  test('a host that fits is accepted in any case of letters, others are refused with the pattern', () =>
    withPipeline(destinations, async send => {
      const sink = (host: string) => send('POST', '/sink', { type: 'log-analysis', user_config: { host } })
      expect((await sink('Logs.Example.COM')).status).toBe(200)
      for (const host of ['weir.local', 'weir.local:8081', 'logs.example.com.evil.example']) {
        const { status, body } = await sink(host)
        expect([host, status, body.errors]).toEqual([
          host,
          400,
          [
            {
              instancePath: '/user_config/host',
              message: `must match pattern "${destinations.logHostPattern.source}"`,
            },
          ],
        ])
      }
    }))
})
