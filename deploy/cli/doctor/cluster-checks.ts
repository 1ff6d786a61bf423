import { readSettings, type Settings, SettingsError } from '../../settings/settings.ts'
import { type Check, type Finding, ok, skipped, warning, wrong } from './finding.ts'

const CLOCKS_MS = 5_000

/** Checks of other servers that the settings name: Kafka, and a store with an address. */
export const CLUSTER_CHECKS: readonly Check[] = [
  { name: 'Kafka', run: async (world, stop) => withSettings(world.env, settings => kafka(settings, stop)) },
  {
    name: 'store server',
    run: async (world, stop) =>
      withSettings(world.env, settings => store(settings, world.clock.wallMs(), stop)),
  },
]

async function withSettings(
  environment: Readonly<Record<string, string | undefined>>,
  check: (settings: Settings) => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check(readSettings(environment))
  } catch (error) {
    // The check of the settings reports them.
    if (error instanceof SettingsError) return [skipped('Some settings cannot be used.')]
    throw error
  }
}

async function kafka(settings: Settings, stop: AbortSignal): Promise<Finding[]> {
  if (settings.kafkaBrokers.length === 0)
    return [skipped('KAFKA_BROKERS is not set: the log is in the data folder.')]
  // Loaded on demand: the modules for Kafka would slow down every command.
  const { topicFindings } = await import('../../cluster/topic-findings.ts')
  const findings = await topicFindings(settings, stop)
  return findings.map(({ isWrong, sentence }) =>
    (isWrong === undefined ? ok : isWrong ? wrong : warning)(sentence),
  )
}

async function store(settings: Settings, nowMs: number, stop: AbortSignal): Promise<Finding[]> {
  const { clickhouseUrl: url, clickhouseUser: user, clickhousePassword: password } = settings
  if (url === undefined) return [skipped('CLICKHOUSE_URL is not set: the store is in the data folder.')]
  const query = 'SELECT version(), toUnixTimestamp64Milli(now64(3))'
  let response: Response
  try {
    response = await fetch(new URL(`/?query=${encodeURIComponent(query)}`, url), {
      headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      signal: stop,
    })
  } catch (error) {
    return [
      wrong(
        `${url} (CLICKHOUSE_URL) does not answer: ${(error as Error).message}. Start it, or correct the setting.`,
      ),
    ]
  }
  const text = (await response.text()).trim()
  if (!response.ok)
    return [wrong(`${url} (CLICKHOUSE_URL) answers ${response.status}: ${text.slice(0, 200)}`)]
  const [version, timeMs] = text.split('\t')
  const aheadMs = Number(timeMs) - nowMs
  if (Math.abs(aheadMs) > CLOCKS_MS)
    return [
      wrong(
        `The clock of ${url} is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this one: set both.`,
      ),
    ]
  return [ok(`${url} answers with version ${version}.`)]
}
