import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { runHere } from '../support/command-world.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { openTail } from '../support/opened-tail.ts'
import { lineOf, tapByEvents } from '../support/opened-tap.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningRole } from '../support/running-role.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import { testPublishing } from '../support/tested-publishing.ts'

const ROUNDS = 3
const SENDERS = [0, 1, 2]
/** App of the lines that come from pushed events. */
const APP = 'doors'
/** Host of the lines that are sent with keys. */
const HOST = 'with-keys'

interface Answer {
  readonly status: number
  readonly batchID: string | undefined
}

async function sendWithKey(
  { url }: RunningRole,
  { credentials }: RunningWeir,
  key: string,
  line: string,
): Promise<Answer> {
  const response = await fetch(`${url}/logs/ingest?hostname=${HOST}`, {
    method: 'POST',
    headers: { apikey: credentials.ingestionKey, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ lines: [{ line }] }),
  })
  const { batchID } = (await response.json()) as { batchID?: string }
  return { status: response.status, batchID }
}

/** Tests that share a cluster: each counts lines of an account, an app or a host that the others leave alone. */
await describeKafka('a cluster with two engines', {}, kafka => {
  let cluster: RoleCluster
  beforeAll(async () => {
    cluster = await RoleCluster.open(kafka, { partitions: 2, engines: 2 })
  })
  afterAll(() => cluster?.close())

  describe('gateway routes in a cluster', () => {
    test('events that arrive at the moment of a resumption are acknowledged only if a pipeline reads them', async () => {
      const [ingest, weir] = [await cluster.startIngest(), cluster.accounts[1]]
      if (weir === undefined) throw new Error('there is no account')
      const create = async (path: string, body: object) =>
        (await weir.send<{ data: { id: string; key: string } }>('POST', path, body)).data
      const { id: pipeline } = await create('/v3/pipeline', { title: 'doors' })
      const { id: route } = await create(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
      await create(`/v3/pipeline/${pipeline}/sink`, {
        type: 'mezmo',
        inputs: [route],
        user_config: { message: { scheme: 'Explicit field selection', app: APP } },
      })
      const { key } = await create(`/v3/pipeline/gateway-route/${route}/access-key`, {
        title: 'gate',
        type: 'generated',
      })
      let sawComing = Promise.withResolvers<void>()
      const push = async (events: readonly object[]) => {
        const response = await fetch(`${ingest.url}/v1/${route}`, {
          method: 'POST',
          headers: { apikey: key },
          body: JSON.stringify(events),
        })
        if ((await response.text()).includes('about to start')) sawComing.resolve()
        return response.status
      }
      const pushed = (number: number) =>
        eventually(
          () => push([{ number }]),
          status => status === 200,
        )

      const first = pushed(0)
      await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
      expect(await first).toBe(200)
      for (let round = 1; round <= ROUNDS; round++) {
        await weir.send('POST', `/v3/pipeline/${pipeline}/pause`, {})
        await eventually(
          () => push([]),
          status => status === 503,
        )
        // The engines are paused: the configuration says that the pipeline runs, and the log does not yet.
        cluster.pause()
        sawComing = Promise.withResolvers()
        const senders = Promise.all(SENDERS.map(sender => pushed(10 * round + sender)))
        const resumed = weir.send('POST', `/v3/pipeline/${pipeline}/resume`, {})
        await Promise.race([sawComing.promise, senders])
        cluster.resume()
        expect(await senders).toEqual(SENDERS.map(() => 200))
        await resumed
      }
      const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1)
      const expected = [0, ...rounds.flatMap(round => SENDERS.map(sender => 10 * round + sender))]
      const lines = await eventually(
        () => exportedLines(weir, { apps: APP }),
        found => found.length >= expected.length,
      )
      const numbers = lines.map(line => (JSON.parse(line._line) as { number: number }).number)
      expect(numbers.toSorted((a, b) => a - b)).toEqual(expected)
    }, 180_000)
  })

  describe('idempotency keys at several ingesting processes on Kafka', () => {
    test('a repeat gets the first answer at any process, and another body gets 409, even after the first process is killed', async () => {
      // No engine takes anything from the log until the end.
      cluster.pause()
      const [one, two] = [await cluster.startIngest(), await cluster.startIngest()]
      const account = cluster.accounts[1] as RunningWeir
      const send = (ingest: RunningRole, key: string, line: string) => sendWithKey(ingest, account, key, line)
      /** Sends until the answer is this one: other processes learn it some tens of milliseconds after it was given. */
      const expectAnswer = async (ingest: RunningRole, key: string, line: string, first: Answer) => {
        const isFirst = ({ batchID }: Answer) => batchID === first.batchID
        expect(await eventually(() => send(ingest, key, line), isFirst)).toEqual(first)
      }

      for (const key of ['plain', 'stream/1']) {
        const first = await send(one, key, key)
        expect(first.status).toBe(200)
        await expectAnswer(two, key, key, first)
        expect((await send(two, key, 'another body')).status).toBe(409)
      }

      const last = await send(one, 'last', 'before the kill')
      await expectAnswer(two, 'last', 'before the kill', last)
      await one.end('SIGKILL')
      const three = await cluster.startIngest()
      for (const process of [two, three]) {
        await expectAnswer(process, 'last', 'before the kill', last)
        expect((await send(process, 'last', 'another body')).status).toBe(409)
      }

      expect(await two.end('SIGTERM')).toBe(0)
      expect((await send(three, 'end', 'end')).status).toBe(200)
      cluster.resume()
      const stored = await eventually(
        async () => (await exportedLines(account, { hosts: HOST })).map(({ _line }) => _line),
        lines => lines.includes('end'),
      )
      expect(stored.sort()).toEqual(['before the kill', 'end', 'plain', 'stream/1'])
    }, 120_000)
  })

  /** Short forms of tail-cluster, tap-cluster, exempt-keys-cluster and access-tokens-cluster. */
  describe('an API process without an engine', () => {
    const limit = 2
    let account: RunningWeir
    let ingest: RunningRole
    let pipeline: string
    let throttle: string

    beforeAll(async () => {
      account = cluster.accounts[1] as RunningWeir
      ingest = await cluster.startIngest()
      const create = async (path: string, body: object) =>
        (await account.send<{ data: { id: string } }>('POST', path, body)).data.id
      pipeline = await create('/v3/pipeline', { title: 'limited' })
      const at = (kind: string) => `/v3/pipeline/${pipeline}/${kind}`
      const source = await create(at('source'), { type: 'log-analysis-ingestion' })
      throttle = await create(at('transform'), {
        type: 'throttle',
        inputs: [source],
        user_config: { threshold: limit, window_ms: DAY_MS, key_field: '.app' },
      })
      await create(at('sink'), { type: 'mezmo', inputs: [throttle], user_config: {} })
      await account.send('POST', at('publish'), {})
    })

    const post = async (
      app: string,
      lines: readonly string[],
      headers: Record<string, string> = { apikey: account.credentials.ingestionKey },
    ) => {
      const { status } = await fetch(`${ingest.url}/logs/ingest?hostname=of-no-engine`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ lines: lines.map(line => ({ line, app })) }),
      })
      return status
    }

    test('shows lines in a tail while the engines are paused', async () => {
      const tail = await openTail(account, { apps: 'tailed' })
      cluster.pause()
      try {
        expect(await post('tailed', ['a', 'b'])).toBe(200)
        expect((await tail.until(2)).map(({ _line }) => _line)).toEqual(['a', 'b'])
      } finally {
        cluster.resume()
      }
      tail.close()
    })

    test('shows the events that leave a node in a tap', async () => {
      const tap = await tapByEvents(account, `/v3/pipeline/${pipeline}/transform/${throttle}/tap?limit=1000`)
      expect(await tap.next()).toMatchObject({ type: 'revision', revision: 1 })
      expect(await post('tapped', ['a', 'b', 'c'])).toBe(200)
      expect(await post('tapped too', ['d'])).toBe(200)
      const shown = [await tap.next(), await tap.next(), await tap.next()].map(lineOf)
      expect(shown).toEqual(['a', 'b', 'd'])
      tap.close()
    })

    test('exempts a key at once, and reports how many events the others have passed', async () => {
      const url = `/v3/pipeline/${pipeline}/transform/${throttle}`
      const exemption = { key: 'exempt', minutes: 60 }
      const { data } = await account.send<{ data: { in_effect: boolean | null } }>(
        'PUT',
        `${url}/exemption`,
        exemption,
      )
      expect(data.in_effect).toBe(true)
      const texts = ['a', 'b', 'c', 'd']
      for (const app of ['exempt', 'judged']) expect(await post(app, texts)).toBe(200)
      const stored = await eventually(
        () => exportedLines(account, { apps: 'exempt,judged' }),
        lines => lines.length >= texts.length + limit,
      )
      const ofApp = (app: string) => stored.filter(({ _app }) => _app === app).map(({ _line }) => _line)
      expect([ofApp('exempt'), ofApp('judged')]).toEqual([texts, texts.slice(0, limit)])
      const bucket = async (key: string) => (await account.get<{ data: object }>(`${url}/bucket/${key}`)).data
      expect(await bucket('judged')).toMatchObject({ passed: limit, exempt_until: null })
      expect(await bucket('exempt')).toMatchObject({ passed: 0, exempt_until: expect.stringMatching(/Z$/) })
    })

    test('makes a token that the ingesting process knows, until it is revoked', async () => {
      const { apiUrl, accessToken } = account.credentials
      const weir = (...args: string[]) =>
        runHere(args, { ...account.environment, WEIR_URL: apiUrl, WEIR_ACCESS_TOKEN: accessToken })
      const created = await weir('token', 'create', 'robot', '--expires', '1h')
      expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^sts_[0-9a-f]{40}\n$/)])
      const authorization = `Token ${created.out.trim()}`
      const send = () => post('robot', ['a'], { authorization })
      expect(await eventually(send, status => status === 200)).toBe(200)
      expect((await weir('token', 'revoke', 'robot')).code).toBe(0)
      expect(await eventually(send, status => status === 401)).toBe(401)
    })
  })

  /** The short form of publishing-cluster.test.ts. */
  describe('publishing a few times in a cluster under load', () => {
    testPublishing(() => cluster, 2)
  })
})
