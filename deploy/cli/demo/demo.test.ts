import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandWorld } from '../../../test/support/command-world.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { runProgram } from '../program.ts'
import { startOfPast } from './demo.ts'
import { isIncident } from './demo-lines.ts'

let weir: TestInstallation
let url: string

beforeEach(async () => {
  weir = await testInstallation()
  url = await weir.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => weir.app.close())

interface Result {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command, and stops it when it has printed a text. */
async function demo(args: readonly string[], until?: string): Promise<Result> {
  const { accessToken, ingestionKey, enterpriseAccessToken } = weir.credentials
  const world = commandWorld({
    env: {
      WEIR_URL: url,
      WEIR_ACCESS_TOKEN: accessToken,
      WEIR_INGESTION_KEY: ingestionKey,
      WEIR_ENTERPRISE_ACCESS_TOKEN: enterpriseAccessToken,
      WEIR_DATA_DIR: '/nonexistent',
    },
  })
  world.stdout.on('data', () => {
    if (until !== undefined && world.out().includes(until)) world.stopNow()
  })
  const code = await runProgram(['demo', ...args], world)
  return { code, out: world.out(), err: world.err() }
}

const enterprise = async (path: string, account?: string) =>
  (
    await weir.app.inject({
      url: path,
      headers: {
        authorization: `Token ${weir.credentials.enterpriseAccessToken}`,
        ...(account !== undefined && { 'x-delegate-account-id': account }),
      },
    })
  ).json()

test('weir demo makes an account of its own with a running pipeline, and again uses that one', async () => {
  const first = await demo(['--rate', '1'], 'Stop with Ctrl+C')
  expect([first.code, first.err]).toEqual([0, expect.stringMatching(/^The last \d\d minutes are sent/)])
  const [, account = ''] = /to the account ([0-9a-f]{10})/.exec(first.out) ?? []
  expect(account).not.toBe(weir.credentials.accountId)
  const [, token = ''] = /\n {2}(sts_[0-9a-f]+)\n/.exec(first.out) ?? []
  const caller = await weir.app.inject({
    url: '/v3/auth/token',
    headers: { authorization: `Token ${token}` },
  })
  expect(caller.json().data).toMatchObject({ account, role: 'admin' })
  const { data: pipelines } = await enterprise('/v3/pipeline', account)
  expect(pipelines).toMatchObject([{ title: 'Calm the noisy service', has_changes: false }])
  expect((await weir.call({ url: '/v3/pipeline' })).json().data).toEqual([])

  const second = await demo(['--rate', '1'], 'Stop with Ctrl+C')
  expect([second.code, second.err]).toEqual([0, ''])
  expect(second.out).toContain(`to the account ${account}`)
  expect((await enterprise('/v3/pipeline', account)).data).toHaveLength(1)
})

test('weir demo --remove withdraws pipelines and credentials, and a new demo brings the account back', async () => {
  const { out } = await demo(['--rate', '1'], 'Stop with Ctrl+C')
  const [, account = ''] = /to the account ([0-9a-f]{10})/.exec(out) ?? []
  const [, token = ''] = /\n {2}(sts_[0-9a-f]+)\n/.exec(out) ?? []
  const removed = await demo(['--remove'])
  expect([removed.code, removed.out]).toEqual([0, expect.stringContaining('is suspended')])
  const caller = await weir.app.inject({
    url: '/v3/auth/token',
    headers: { authorization: `Token ${token}` },
  })
  expect(caller.statusCode).toBe(401)
  expect((await demo(['--remove'])).out).toBe('There is no account with sample data.\n')
  const again = await demo(['--rate', '1'], 'Stop with Ctrl+C')
  expect(again.out).toContain(`to the account ${account}`)
  expect((await enterprise('/v3/pipeline', account)).data).toHaveLength(1)
})

test('the past begins quietly before an incident, whenever the command starts, and has two of them', () => {
  const first = 1_900_000_800 // it begins a period
  for (let now = first; now < first + 900; now += 60) {
    const start = startOfPast(now)
    const past = Array.from({ length: now - start }, (_, at) => isIncident((start + at) * 1_000))
    expect(past.slice(0, 5 * 60)).not.toContain(true)
    expect(past.filter(isSlow => isSlow).length).toBeGreaterThanOrEqual(2 * 5 * 60)
    expect(past.length).toBeLessThan(45 * 60)
  }
})

test.each(['0', '1.5', 'many', '1001'])('a rate of %s is refused', async rate => {
  const { code, err } = await demo(['--rate', rate])
  expect([code, err]).toEqual([2, expect.stringContaining('It must be an integer from 1 to 1000.')])
})
