import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openClusterBase } from '../../deploy/cluster/cluster-base.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { CONFIG_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { runWeir } from '../support/program.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningRole } from '../support/running-role.ts'
import type { RunningWeir } from '../support/running-weir.ts'

const COMMAND = /weir (log accept-loss --topic ingest --partition \d --from \d+ --to \d+)/g
const LINES = 10

await describeKafka('weir.ingest that was created again', {}, cluster => {
  test('while everything was stopped made weir ingest acknowledge lines that were never stored', async () => {
    const roles = await RoleCluster.open(cluster, { partitions: 2, engines: 1 })
    try {
      const before = await roles.startIngest()
      expect(await postAll(before, roles.accounts, 'before')).toEqual([200])
      await eventually(
        () => roles.storedLines(),
        count => count === 2 * LINES,
      )
      await roles.stopRoles()
      await makeAnew(cluster, roles)

      const ingest = await roles.startIngest()
      const reported = await ready(ingest)
      expect(reported).toMatch(/^503/)
      const commands = commandsIn(reported)
      expect(commands).toEqual([expect.stringMatching(/ 0 --from 0 /), expect.stringMatching(/ 1 --from 0 /)])
      expect(await postAll(ingest, roles.accounts, 'refused')).toEqual([503])
      for (const role of ['engine', 'api', 'all', 'verify']) {
        const { code, out, err } = await runWeir([role], roles.environment)
        expect([role, code, commandsIn(out + err)]).toEqual([role, 1, commands])
      }
      expect(await postAll(ingest, roles.accounts, 'refused again')).toEqual([503])

      for (const command of commands) {
        const parts = command.split(' ')
        const more = [...parts.slice(0, -1), String(Number(parts.at(-1)) + 1)]
        const less = [...parts.slice(0, -1), String(Number(parts.at(-1)) - 1)]
        for (const wrong of [more, less])
          expect(await runWeir(wrong, roles.environment)).toMatchObject({
            code: 2,
            err: expect.stringContaining('Other records'),
          })
        expect(await runWeir(parts, roles.environment)).toMatchObject({ code: 0, err: '' })
      }
      await eventually(
        () => postAll(ingest, roles.accounts, 'first'),
        ([code, ...others]) => code === 200 && others.length === 0,
      )
      await roles.startAccountsApi()
      const engine = await roles.startEngine()
      expect(await postAll(ingest, roles.accounts, 'after')).toEqual([200])
      await assertExact(roles, ['before', 'after'])
      for (const role of [ingest, engine])
        expect(
          await eventually(
            () => ready(role),
            text => text.startsWith('200'),
          ),
        ).toMatch(/^200/)
      expect(await runWeir(['verify'], roles.environment)).toMatchObject({ code: 0 })

      // Stopped and started again: the new log is the one of checkpoints and store.
      await roles.stopRoles()
      const second = await roles.startIngest()
      await roles.startAccountsApi()
      await roles.startEngine()
      expect(await postAll(second, roles.accounts, 'restarted')).toEqual([200])
      await assertExact(roles, ['before', 'after', 'restarted'])
    } finally {
      await roles.close()
    }
  }, 300_000)

  test('under running processes makes them refuse lines until the loss is accepted and they are restarted', async () => {
    const roles = await RoleCluster.open(cluster, { partitions: 2, engines: 1 })
    try {
      const ingest = await roles.startIngest()
      expect(await postAll(ingest, roles.accounts, 'before')).toEqual([200])
      await eventually(
        () => roles.storedLines(),
        count => count === 2 * LINES,
      )
      const [engine] = roles.engines as [RunningRole]
      await makeAnew(cluster, roles)
      for (const role of [ingest, engine])
        expect(
          await eventually(
            () => ready(role),
            text => text.includes('created again while this process ran'),
          ),
        ).toMatch(/^503[\s\S]*created again while this process ran/)
      expect(await postAll(ingest, roles.accounts, 'refused')).toEqual([503])
      const { code, out, err } = await runWeir(['verify'], roles.environment)
      expect(code).toBe(1)
      const commands = commandsIn(out + err)
      expect(commands).toHaveLength(2)
      for (const command of commands)
        expect(await runWeir(command.split(' '), roles.environment)).toMatchObject({ code: 0, err: '' })
      // Ids of records contain the id of the log, which these processes know no longer.
      expect(await postAll(ingest, roles.accounts, 'refused again')).toEqual([503])
      expect(await ready(ingest)).toMatch(/^503/)

      await roles.stopRoles()
      const second = await roles.startIngest()
      await roles.startAccountsApi()
      await roles.startEngine()
      expect(await postAll(second, roles.accounts, 'after')).toEqual([200])
      await assertExact(roles, ['before', 'after'])
      expect(await runWeir(['verify'], roles.environment)).toMatchObject({ code: 0 })
    } finally {
      await roles.close()
    }
  }, 300_000)
})

await describeKafka('weir.config that was created again', {}, cluster => {
  test('under running processes left them ready, and a change was a bare 500', async () => {
    const roles = await RoleCluster.open(cluster, { partitions: 1, engines: 1 })
    try {
      const ingest = await roles.startIngest()
      const api = await roles.startApi()
      const [engine] = roles.engines as [RunningRole]
      const [account] = roles.accounts as [RunningWeir]
      const change = async () => {
        const response = await fetch(`${api.url}/v1/config/tokens`, {
          method: 'POST',
          headers: {
            authorization: `Token ${account.credentials.accessToken}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ name: crypto.randomUUID(), kind: 'service', scope: 'admin' }),
        })
        return `${response.status} ${await response.text()}`
      }
      expect(await change()).toMatch(/^20/)
      await makeAnew(cluster, roles, CONFIG_TOPIC)
      expect(await change()).toMatch(/^503[\s\S]*configuration log \(weir\.config\) lost events/)
      for (const role of [ingest, api, engine])
        expect(
          await eventually(
            () => ready(role),
            text => text.includes('weir.config'),
          ),
        ).toMatch(/^503[\s\S]*configuration log \(weir\.config\) lost events/)
      await roles.stopRoles()
      const { code, out, err } = await runWeir(['engine'], roles.environment)
      expect(code).toBe(1)
      const [, accept = ''] = /weir (log accept-loss --topic config [^"]*)"/.exec(out + err) ?? []
      expect(await runWeir(accept.split(' '), roles.environment)).toMatchObject({ code: 0, err: '' })
      expect(
        await eventually(
          async () => ready(await roles.startEngine()),
          text => text.startsWith('200'),
        ),
      ).toMatch(/^200/)
    } finally {
      await roles.close()
    }
  }, 300_000)
})

function commandsIn(text: string): string[] {
  return [...new Set([...text.matchAll(COMMAND)].map(([, command]) => command as string))]
}

async function ready({ url }: RunningRole): Promise<string> {
  const response = await fetch(`${url}/readyz`)
  return `${response.status} ${await response.text()}`
}

/** Sends lines of each account, one per request. @returns the different answers */
async function postAll(
  ingest: RunningRole,
  accounts: readonly RunningWeir[],
  text: string,
): Promise<number[]> {
  const codes = new Set<number>()
  for (const { credentials } of accounts)
    for (let line = 0; line < LINES; line++) {
      const headers = { apikey: credentials.ingestionKey, 'content-type': 'application/json' }
      const body = JSON.stringify({ lines: [{ line: `${text} ${line}` }] })
      const answer = await fetch(`${ingest.url}/logs/ingest?hostname=h`, { method: 'POST', headers, body })
      codes.add(answer.status)
    }
  return [...codes]
}

/** Each of these lines is found once, and counted. */
async function assertExact({ accounts }: RoleCluster, texts: readonly string[]): Promise<void> {
  for (const account of accounts) {
    for (const text of texts) {
      const found = await eventually(
        () => exportedLines(account, { query: text }),
        lines => lines.length >= LINES,
      )
      const wanted = Array.from({ length: LINES }, (_, line) => `${text} ${line}`)
      expect(found.map(({ _line }) => _line).toSorted()).toEqual(wanted)
    }
    expect(await countedLines(account)).toBeGreaterThanOrEqual(texts.length * LINES)
  }
}

async function makeAnew(
  cluster: KafkaCluster,
  { environment }: RoleCluster,
  topic: string = INGEST_TOPIC,
): Promise<void> {
  const admin = cluster.client().admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [`${environment.KAFKA_TOPIC_PREFIX}${topic}`] })
  await admin.disconnect()
  const base = await eventually(
    () => openClusterBase(readSettings(environment), pino({ level: 'silent' })).catch(() => undefined),
    opened => opened !== undefined,
  )
  if (base === undefined) throw new Error('the topic could not be created again')
  await base.group.close()
  await base.log.close()
}
