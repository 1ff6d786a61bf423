import type { Registry } from '@prometheus-io/client'
import { code, listed, table } from './markdown.ts'

/** Sections of the page in their order, with the names of their metrics. */
const SECTIONS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Ingestion', /^weir_(?:ingest|push)_/],
  ['HTTP', /^weir_http_/],
  ['Log and engine', /^weir_(?:log|lag|unstored|partition|partitions|cut|codec)_/],
  ['Store', /^weir_(?:store|batches|rows|expired|searches)_/],
  ['Pipelines', /^weir_(?:node|throttle|script)_/],
  ['Deliveries', /^weir_delivery_/],
  ['Live tails', /^weir_(?:tail|tails)_/],
  ['Process', /^weir_(?:build|process|nodejs)_/],
  ['Former names', /^(?!weir_)/],
]

const INTRODUCTION = `# Metrics

\`/metrics\` serves these metrics in the Prometheus text format, at \`WEIR_PORT\` and at \`WEIR_METRICS_PORT\`. A process serves those of
its roles. Counters begin with 0 at each start, and so do those that are labelled with a partition when its worker starts again. The label
\`pipeline\` is empty for the default graph. [Alerts](alerts.md) has rules on them.`

/** `docs/metrics.md`, as the registrations of a process of all roles give it. `npm run docs` writes the file. */
export function metricsPage(registry: Registry): string {
  const metrics = registry.getMetricsAsArray().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const sections = SECTIONS.map(([title, names]) => {
    const rows = metrics.filter(({ name }) => names.test(name)).map(rowOf)
    return `## ${title}\n\n${table(['Metric', 'Type', 'Labels', 'Meaning'], rows)}`
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

/** Names of metrics that no section has, or that several have. */
export function outsideSections(registry: Registry): readonly string[] {
  const named = registry.getMetricsAsArray().map(({ name }) => name)
  return named.filter(name => SECTIONS.filter(([, names]) => names.test(name)).length !== 1)
}

type Registered = ReturnType<Registry['getMetricsAsArray']>[number] & {
  readonly labelNames?: readonly string[]
}

function rowOf({ name, type, help, labelNames = [] }: Registered): string[] {
  return [code(name), type, listed(labelNames), help.replace(/\.$/, '')]
}
