import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Registry } from '@prometheus-io/client'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { closeInstallation, type Installation, openInstallation } from '../../deploy/installation.ts'
import { openServers } from '../../deploy/servers.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { dashboardQueries, dashboardText } from '../support/dashboard.ts'
import { metricsPage, outsideSections } from '../support/metrics-page.ts'
import { metricsOfQuery } from '../support/query-metrics.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}
interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly object[]
    }[]
  }[]
}

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const rules = (
  parse(textOf('deploy/prometheus/weir.rules.yml')) as { groups: { rules: Rule[] }[] }
).groups.flatMap(group => group.rules)
/** Metric of Prometheus itself. */
const OF_PROMETHEUS = 'up'

describe('metrics of the program, of the rules and of the dashboard', () => {
  let folder: string
  let installation: Installation
  // An installation makes the files of its process private. Later files of this process are ordinary ones.
  const mask = process.umask()
  let registered: ReadonlySet<string>
  let registry: Registry
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-watching-'))
    const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1' })
    const logger = pino({ level: 'silent' })
    installation = await openInstallation(settings, logger)
    const serves = { lines: true, api: true }
    const { api } = await openServers(settings, { ...installation, serves }, undefined, logger)
    registry = api.ports.registry
    registered = namesIn((await api.inject('/metrics')).body)
  })
  afterAll(async () => {
    await closeInstallation(installation)
    process.umask(mask)
    rmSync(folder, { recursive: true })
  })

  test.each(rules.map(({ alert, expr }) => [alert, expr]))(
    'alert %s reads metrics of the program',
    (_, query) => {
      expect(unknown(query)).toEqual([])
    },
  )

  test('the dashboard reads metrics of the program', () => {
    expect(dashboardQueries().flatMap(unknown)).toEqual([])
  })

  test('docs/metrics.md is the page of the present registrations (renew it with `npm run docs`)', async () => {
    expect(outsideSections(registry)).toEqual([])
    await expect(metricsPage(registry)).toMatchFileSnapshot('../../docs/metrics.md')
  })

  test('all names have one prefix, and the two former ones have the values of the present ones', async () => {
    const others = registry.getMetricsAsArray().filter(({ name }) => !name.startsWith('weir_'))
    expect(others.map(({ name }) => name)).toEqual(['component_errors_total', 'throttle_discarded_total'])
    for (const { help } of others) {
      const [, present = ''] = /^Former name of (weir_\w+_total), which a later/.exec(help) ?? []
      expect(registry.getSingleMetric(present)).toBeDefined()
    }
  })

  test('a process reports its version, its roles, its memory and its processor time', async () => {
    const text = await registry.metrics()
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    const { node } = process.versions
    expect(text).toContain(`weir_build_info{version="${version}",node="${node}",roles="ingest,api,engine"} 1`)
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
    ])
      expect(text).toMatch(new RegExp(`^weir_${name} \\d`, 'm'))
  })

  const unknown = (query: string) =>
    metricsOfQuery(query).filter(name => name !== OF_PROMETHEUS && !registered.has(name))
})

/** Names of the series of metrics in the text form: a histogram has three. */
function namesIn(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  return new Set(names)
}

test.each<[string, ...string[]]>([
  ['up{job=~"weir.*"} == 0', 'up'],
  ['sum by (job) (rate(a_total{b="c", d!="e"}[5m] offset 1d)) > 0.01 * b_total', 'a_total', 'b_total'],
  ['(time() - a > 60) and on(job, instance) b_c', 'a', 'b_c'],
  ['histogram_quantile(0.95, sum by (le) (rate(a_bucket{x=~"$y"}[$__rate_interval])))', 'a_bucket'],
  ['sum(a == bool 0) unless on() count(b)', 'a', 'b'],
  ['1e3 * a{text="b {c} [d] by (e)"}', 'a'],
])('the metrics of a query are found: %s', (query, ...metrics) => {
  expect(metricsOfQuery(query)).toEqual(metrics)
})

test('the file of the dashboard is the generated one', async () => {
  await expect(dashboardText()).toMatchFileSnapshot('../../deploy/prometheus/weir-dashboard.json')
})

describe('alerts', () => {
  test('every alert has a test in which it fires, and one in which it does not', () => {
    const { tests } = parse(textOf('deploy/prometheus/weir.rules.test.yml')) as RuleTests
    const cases = tests.flatMap(each => each.alert_rule_test)
    const tried = cases.map(({ alertname, exp_alerts: expected }) => `${alertname} ${expected.length > 0}`)
    expect(tried.sort()).toEqual(rules.flatMap(({ alert }) => [`${alert} false`, `${alert} true`]).sort())
  })

  test('every alert has a section of docs/alerts.md, in the same order, and leads to it', () => {
    const sections = [...textOf('docs/alerts.md').matchAll(/^## (Weir\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(rules.map(({ alert }) => alert))
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `docs/alerts.md#${alert.toLowerCase()}`),
    )
  })
})
