import type { InjectOptions } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LogError } from '../../engine/log/log.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const AWAY = 'The configuration cannot be read up to its present end at the moment'

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

function logAnswers(answer: () => Promise<void>): void {
  vi.spyOn(installation.configuration, 'catchUp').mockImplementation(answer)
}

describe('while the log is unavailable', () => {
  const requests: readonly InjectOptions[] = [
    { method: 'GET', url: '/v1/config/view' },
    { method: 'GET', url: '/v3/pipeline' },
    { method: 'DELETE', url: '/v1/config/view/0123456789' },
    { method: 'DELETE', url: '/v3/pipeline/0123456789' },
  ]

  test.each(requests)('$method $url reports that the configuration cannot be read', async options => {
    logAnswers(async () => {
      throw new LogError('LOG_UNAVAILABLE', 'away', { retriable: true })
    })
    const response = await installation.call(options)
    expect([response.statusCode, response.json().error]).toEqual([503, AWAY])
    expect(response.headers['retry-after']).toBe('2')
  })

  test.each(['/v1/config/view', '/v3/pipeline'])('GET %s waits only for a short time', async url => {
    let end = () => {}
    logAnswers(
      () =>
        new Promise(resolve => {
          end = resolve
        }),
    )
    const beganMs = installation.clock.monotonicMs()
    const response = await installation.clock.advanceUntil(installation.call({ url }).then())
    expect([response.statusCode, response.json().error]).toEqual([503, AWAY])
    expect(installation.clock.monotonicMs() - beganMs).toBe(2_000)
    end()
  })
})

test('a request that only reads does not mention changes when it fails later', async () => {
  vi.spyOn(installation.configuration.history, 'catchUp').mockRejectedValue(
    new LogError('LOG_UNAVAILABLE', 'away', { retriable: true }),
  )
  const response = await installation.call({ url: '/v1/config/audit' })
  expect([response.statusCode, response.json().error]).toEqual([503, 'The log cannot be read at the moment'])
})
