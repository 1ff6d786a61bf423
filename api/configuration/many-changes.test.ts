import { describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const MEGABYTE = 1024 * 1024
const NEVER_EMPTY = { changeBytesPerHour: 1024 * MEGABYTE }

type Call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) => Promise<Answer>
interface Answer {
  readonly status: number
  readonly body: { error: string; [member: string]: unknown }
  readonly retryAfter: unknown
}

function caller(installation: TestInstallation): Call {
  return async (method, url, payload) => {
    const answer = await installation.call({ method, url, ...(payload !== undefined && { payload }) })
    const { statusCode: status, headers } = answer
    const body = answer.body === '' ? undefined : answer.json()
    return { status, body, retryAfter: headers['retry-after'] }
  }
}

/** A view of about 100 KB. */
function view(name: string, bytes = 100_000) {
  const hosts = Array.from({ length: Math.ceil(bytes / 1_000) }, (_, index) => `${index}`.padEnd(990, 'h'))
  return { name, hosts }
}

/** Replaces one view until that is refused. */
async function changeUntilRefused(call: Call, attempts: number): Promise<Answer> {
  const { viewid } = (await call('POST', '/v1/config/view', view('v'))).body
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await call('PUT', `/v1/config/view/${viewid}`, view(`v${attempt}`))
    if (answer.status !== 200) return answer
  }
  throw new Error('nothing was refused')
}

/** Replaces one view by values that get shorter, until that is refused. */
async function shortenedUntilRefused(call: Call, attempts: number): Promise<Answer> {
  const [{ viewid }] = (await call('GET', '/v1/config/view')).body as unknown as [{ viewid: string }]
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await call('PUT', `/v1/config/view/${viewid}`, view('v', 99_000 - attempt))
    if (answer.status !== 200) return answer
  }
  throw new Error('nothing was refused')
}

/** Paths of a token, a key and a pipeline. */
async function removable(call: Call): Promise<string[]> {
  const token = (await call('POST', '/v1/config/tokens', { name: 't', kind: 'service' })).body
  const key = (await call('POST', '/v1/config/keys?type=ingestion', { name: 'k' })).body
  const pipeline = (await call('POST', '/v3/pipeline', { title: 'p' })).body.data as { id: string }
  return [`/v1/config/tokens/${token.id}`, `/v1/config/keys/${key.id}`, `/v3/pipeline/${pipeline.id}`]
}

describe('changes of one view, which filled the log until no token could be revoked', () => {
  test('stop at a quarter of the log, and what was there can be revoked and deleted', async () => {
    const installation = await testInstallation({}, { logBytes: 8 * MEGABYTE, ...NEVER_EMPTY })
    const call = caller(installation)
    const paths = await removable(call)
    const { status, body, retryAfter } = await changeUntilRefused(call, 30)
    expect([status, retryAfter]).toEqual([503, '2'])
    expect(body.error).toContain('Deletions, revocations and suspensions continue longest.')
    // A value that gets shorter by a character each time filled the rest of the log.
    expect((await shortenedUntilRefused(call, 40)).status).toBe(503)
    const { usedBytes } = installation.log.space()
    expect([usedBytes < 2 * MEGABYTE, usedBytes > 1.8 * MEGABYTE]).toEqual([true, true])
    expect(installation.log.space().takesIngest).toBe(true)
    const { token } = (await call('POST', '/v1/config/ingestion/suspend')).body
    expect((await call('POST', '/v1/config/ingestion/suspend/confirm', { token })).status).toBe(200)
    for (const path of paths)
      expect([path, (await call('DELETE', path)).status]).toEqual([path, expect.toBeOneOf([200, 204])])
    expect((await call('POST', '/v1/config/tokens', { name: 'u', kind: 'service' })).status).toBe(200)
    await installation.app.close()
  })

  test('leave half of the reserve free on a log that lines have filled', async () => {
    const installation = await testInstallation({}, { logBytes: 8 * MEGABYTE, ...NEVER_EMPTY })
    const topic = await installation.log.topic('lines', 1)
    const fill = { value: Buffer.alloc(65_000), producer: null, priority: 'control' } as const
    while (installation.log.space().usedBytes < 6.9 * MEGABYTE) await topic.append(0, fill)
    const call = caller(installation)
    const paths = await removable(call)
    expect((await changeUntilRefused(call, 30)).status).toBe(503)
    expect(installation.log.space().usedBytes).toBeLessThan(7.2 * MEGABYTE)
    for (const path of paths) expect((await call('DELETE', path)).status).toBeLessThan(300)
    await installation.app.close()
  })
})

describe('changes of one account, each of which the log keeps forever', () => {
  test('are 429 beyond its budget; what it has can be removed, and other accounts continue', async () => {
    // Eight hours at once: 2 MB.
    const installation = await testInstallation({}, { changeBytesPerHour: MEGABYTE / 4 })
    const call = caller(installation)
    const paths = await removable(call)
    const refused = await changeUntilRefused(call, 30)
    expect([refused.status, Number(refused.retryAfter) > 0]).toEqual([429, true])
    expect(refused.body.error).toMatch(
      /^The account has changed its configuration too much: 262144 bytes an hour are possible, and 2097152 at once\. Repeat the request in \d+ min\. Deletions and revocations continue to work$/,
    )
    for (const path of paths) expect((await call('DELETE', path)).status).toBeLessThan(300)
    const [{ viewid }] = (await call('GET', '/v1/config/view')).body as unknown as [{ viewid: string }]
    // A shorter value has as much again.
    expect((await call('PUT', `/v1/config/view/${viewid}`, view('short', 1_000))).status).toBe(200)
    installation.clock.advance(Number(refused.retryAfter) * 1_000)
    expect((await call('PUT', `/v1/config/view/${viewid}`, view('v', 1_000))).status).toBe(200)
    await installation.app.close()
  })
})
