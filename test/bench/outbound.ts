import { systemClock } from '../../engine/clock/system-clock.ts'
import { freePort } from '../support/free-port.ts'
import { silentListener } from '../support/silent-listener.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'
import type { Report } from './figure.ts'

const ROUNDS = 3
/** Simultaneous tries of each kind in a round. */
const TRIES = 40

export const summary = `The benchmark measures the time until a stream is refused because its broker accepts no connection, per reason. ${TRIES} attempts of each kind run at once, each for an account of its own, through a real HTTP server. The difference is the largest p95 of a kind minus the smallest. It must not reveal whether a port is closed, silent or denied, or a name is unknown.`

export async function run(report: Report): Promise<void> {
  const silent = await silentListener()
  const installation = await testInstallation({ clock: systemClock() })
  const url = await installation.app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const kinds: Readonly<Record<string, string>> = {
      closed: `127.0.0.1:${await freePort()}`,
      silent: `127.0.0.1:${silent.port}`,
      denied: '169.254.169.254:80',
      unresolvable: 'broker-1.invalid:9092',
    }
    const p95s: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map(kind => [kind, []]))
    const p50s: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map(kind => [kind, []]))
    for (let round = 0; round < ROUNDS; round++) {
      const tokens = await accountsWithTokens(installation, round, Object.keys(kinds).length * TRIES)
      const tries = Array.from({ length: TRIES }, () => Object.entries(kinds)).flat()
      const took = await Promise.all(
        tries.map(async ([kind, broker], at) => ({
          kind,
          ms: await refusedAfterMs(url, tokens[at] as string, broker),
        })),
      )
      for (const kind of Object.keys(kinds)) {
        const sorted = took.flatMap(each => (each.kind === kind ? [each.ms] : [])).toSorted((a, b) => a - b)
        p95s[kind]?.push(percentile(sorted, 0.95))
        p50s[kind]?.push(percentile(sorted, 0.5))
      }
    }
    for (const kind of Object.keys(kinds)) {
      report({ name: `${kind}: p50`, unit: 'ms', values: p50s[kind] ?? [] })
      report({ name: `${kind}: p95`, unit: 'ms', values: p95s[kind] ?? [] })
    }
    const differences = Array.from({ length: ROUNDS }, (_, round) => {
      const all = Object.values(p95s).map(values => values[round] as number)
      return Math.max(...all) - Math.min(...all)
    })
    report({ name: 'difference between kinds: p95', unit: 'ms', values: differences })
  } finally {
    silent.close()
    await installation.app.close()
  }
}

async function accountsWithTokens(
  installation: TestInstallation,
  round: number,
  count: number,
): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let at = 0; at < count; at++) {
    const account = (round * count + at).toString(16).padStart(10, '0')
    // Accounts of an enterprise would share a few attempts per minute.
    await installation.account(account, { enterprise: null })
    tokens.push(await installation.token({ account }))
  }
  return tokens
}

async function refusedAfterMs(url: string, token: string, broker: string): Promise<number> {
  const startedMs = performance.now()
  const answer = await fetch(`${url}/v1/config/stream`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ brokers: [broker], topic: 't', user: 'u', password: 'p' }),
  })
  const body = await answer.text()
  if (answer.status !== 400 || !body.includes('Failed to connect'))
    throw new Error(`${answer.status} ${body}`)
  return performance.now() - startedMs
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}
