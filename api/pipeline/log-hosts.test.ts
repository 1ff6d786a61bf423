import { describe, expect, test } from 'vitest'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'
import { ownHosts } from './log-hosts.ts'

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
  const destinations = { installationHosts: /^logs\.example\.com$/, ownHost: 'weir.local:8080' }

  test('the value that the server filled in can be sent back, in any case of letters', () =>
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

  test('a matching host is accepted in any case of letters, and others are refused with the pattern', () =>
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
              message: `must match pattern "${destinations.installationHosts.source}"`,
            },
          ],
        ])
      }
    }))
})

describe('a host of this installation', () => {
  test.each([
    ['in.example:8080', true],
    ['IN.example:8080', true],
    ['http://in.example:8080/', true],
    ['in.example', true],
    ['https://in.example:443', true],
    ['in.example:8081', false],
    ['other.example:8080', false],
    ['localhost', true],
    ['localhost:8080', true],
    ['http://127.0.0.1:8080', true],
    ['http://127.0.0.1:1', false],
    ['127.9.9.9', true],
    ['[::1]:8080', true],
    ['[::1]:8081', false],
    ['[::1]', true],
    ['[::2]', false],
    ['localhost.example', false],
  ])('%s: %s where the installation is in.example:8080', (host, isOwn) => {
    expect(ownHosts('in.example:8080')(host)).toBe(isOwn)
  })

  test('a local name with a port does not count if the port of the installation is unknown', () => {
    for (const ownHost of [undefined, 'in.example']) {
      expect(ownHosts(ownHost)('localhost')).toBe(true)
      expect(ownHosts(ownHost)('localhost:8080')).toBe(false)
    }
  })
})

test('a sink with another port of this machine cannot be published, and one with the own port can', () =>
  withPipeline({ ownHost: '127.0.0.1:8080' }, async send => {
    const from = (await send('POST', '/source', { type: 'log-analysis-ingestion' })).body.data.id
    const sink = (host: string) => ({ type: 'log-analysis', inputs: [from], user_config: { host } })
    const { id } = (await send('POST', '/sink', sink('http://127.0.0.1:1'))).body.data
    const refused = await send('POST', '/publish', {})
    expect([refused.status, refused.body.errors[0]?.instancePath]).toEqual([400, `/sink/${id}/user_config`])
    await send('PUT', `/sink/${id}`, sink('http://127.0.0.1:8080'))
    expect((await send('POST', '/publish', {})).status).toBe(200)
  }))
