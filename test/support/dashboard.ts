/** Dashboard of Weir for Grafana, as `deploy/prometheus/weir-dashboard.json` contains it. `npm run docs` writes the file. */

interface Query {
  readonly query: string
  /** Name of a series, with labels as {{label}}. */
  readonly legend: string
}

interface Chart {
  readonly title: string
  readonly description: string
  /** Unit as Grafana names it. */
  readonly unit: string
  readonly queries: readonly Query[]
}

interface Row {
  readonly title: string
  readonly charts: readonly Chart[]
}

/** Selector of the chosen processes. */
const CHOSEN = 'job=~"$job",instance=~"$instance"'
const COLUMNS = 24
const CHARTS_PER_LINE = 3
const CHART_WIDTH = COLUMNS / CHARTS_PER_LINE
const CHART_HEIGHT = 8

const one = (query: string, legend: string): readonly Query[] => [{ query, legend }]
const rate = (metric: string, labels = '') => `rate(${metric}{${CHOSEN}${labels}}[$__rate_interval])`
const quantile = (share: number, histogram: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by}) (${rate(`${histogram}_bucket`)}))`

const ROWS: readonly Row[] = [
  {
    title: 'Lines',
    charts: [
      {
        title: 'Accepted and refused lines',
        description: 'Accepted lines are durable. Refused lines have no text, or a form that is not read.',
        unit: 'cps',
        queries: [
          { query: `sum(${rate('weir_ingest_lines_total')})`, legend: 'accepted' },
          { query: `sum(${rate('weir_ingest_refused_lines_total')})`, legend: 'refused' },
          { query: `sum(${rate('weir_ingest_retimed_lines_total')})`, legend: 'with an impossible time' },
          { query: `sum(${rate('weir_push_events_total')})`, legend: 'events at gateway routes' },
        ],
      },
      {
        title: 'Accepted bytes',
        description: 'Bytes of accepted bodies after decompression.',
        unit: 'Bps',
        queries: [
          { query: `sum(${rate('weir_ingest_bytes_total')})`, legend: 'lines' },
          { query: `sum(${rate('weir_push_bytes_total')})`, legend: 'gateway routes' },
        ],
      },
      {
        title: 'Stored rows',
        description: 'Rows that the engines have written to the store.',
        unit: 'cps',
        queries: one(`sum by (instance) (${rate('weir_rows_stored_total')})`, '{{instance}}'),
      },
    ],
  },
  {
    title: 'Log and engine',
    charts: [
      {
        title: 'Records that are not stored',
        description:
          'Records on the log that the store does not have yet. A number that only grows is an alert.',
        unit: 'short',
        queries: one(
          `sum by (topic, partition) (weir_unstored_records{${CHOSEN}})`,
          '{{topic}} {{partition}}',
        ),
      },
      {
        title: 'Records that are not read',
        description: 'Records on the log that the engine has not read yet.',
        unit: 'short',
        queries: one(`sum by (topic, partition) (weir_lag_records{${CHOSEN}})`, '{{topic}} {{partition}}'),
      },
      {
        title: 'Use of the log',
        description: 'Size of the log, as a share of the part that lines may use.',
        unit: 'percentunit',
        queries: one(
          `weir_log_used_bytes{${CHOSEN}} / (weir_log_limit_bytes{${CHOSEN}} - weir_log_reserved_bytes{${CHOSEN}})`,
          '{{instance}}',
        ),
      },
      {
        title: 'Problems',
        description: 'All of these are 0 in a healthy installation.',
        unit: 'short',
        queries: [
          { query: `sum(weir_partitions_in_trouble{${CHOSEN}})`, legend: 'partitions that do not move' },
          {
            query: `sum by (state) (weir_store_damaged_parts{${CHOSEN}})`,
            legend: 'damaged parts of the store, {{state}}',
          },
          {
            query: `sum(weir_log_takes_ingest{${CHOSEN}} == bool 0)`,
            legend: 'processes that refuse lines',
          },
        ],
      },
      {
        title: 'Pauses for changes',
        description: 'Time that a partition was not read because of a publication or another change (99 %).',
        unit: 's',
        queries: one(quantile(0.99, 'weir_cut_pause_seconds', ', step'), '{{step}}'),
      },
      {
        title: 'Removed lines',
        description: 'Lines past their retention that were removed from the store.',
        unit: 'cps',
        queries: one(`sum(${rate('weir_expired_lines_total')})`, 'removed'),
      },
    ],
  },
  {
    title: 'Requests',
    charts: [
      {
        title: 'Requests by status',
        description: 'Answered requests.',
        unit: 'reqps',
        queries: one(`sum by (status) (${rate('weir_http_requests_total')})`, '{{status}}'),
      },
      {
        title: 'Time to answer, by route',
        description: 'The 95th percentile for the ten slowest routes.',
        unit: 's',
        queries: one(
          `topk(10, ${quantile(0.95, 'weir_http_request_duration_seconds', ', method, route')})`,
          '{{method}} {{route}}',
        ),
      },
      {
        title: 'Live tails',
        description: 'Open live tails, and lines that they were not sent because a client was too slow.',
        unit: 'short',
        queries: [
          { query: `sum(weir_tails_open{${CHOSEN}})`, legend: 'open' },
          { query: `sum(${rate('weir_tail_lines_dropped_total')})`, legend: 'lines not sent, per second' },
        ],
      },
    ],
  },
  {
    title: 'Pipelines',
    charts: [
      {
        title: 'Events into nodes',
        description: 'The ten nodes with the most events. The default graph has an empty pipeline.',
        unit: 'cps',
        queries: one(
          `topk(10, sum by (pipeline, node) (${rate('weir_node_events_total', ',outcome="in"')}))`,
          '{{pipeline}} {{node}}',
        ),
      },
      {
        title: 'Dropped and failed events',
        description: 'Dropped events were left out on purpose; failed ones could not be processed.',
        unit: 'cps',
        queries: one(
          `sum by (pipeline, node, outcome) (${rate('weir_node_events_total', ',outcome=~"dropped|failed"')}) > 0`,
          '{{pipeline}} {{node}} {{outcome}}',
        ),
      },
      {
        title: 'Errors by code',
        description: 'Errors that nodes reported.',
        unit: 'cps',
        queries: one(
          `sum by (pipeline, node, code) (${rate('weir_node_errors_total')}) > 0`,
          '{{pipeline}} {{node}} {{code}}',
        ),
      },
    ],
  },
  {
    title: 'Deliveries',
    charts: [
      {
        title: 'Age of the oldest waiting event',
        description: 'Time by which a destination is behind.',
        unit: 's',
        queries: one(
          `max by (pipeline, node) (weir_delivery_lag_seconds{${CHOSEN}})`,
          '{{pipeline}} {{node}}',
        ),
      },
      {
        title: 'Delivered events and those given up',
        description: 'Events that destinations have handled.',
        unit: 'cps',
        queries: one(
          `sum by (outcome) (${rate('weir_delivery_events_total', ',outcome=~"delivered|given_up|dropped"')})`,
          '{{outcome}}',
        ),
      },
      {
        title: 'Attempts by status',
        description: 'Requests to other systems; none: there was no answer.',
        unit: 'reqps',
        queries: one(`sum by (status) (${rate('weir_delivery_requests_total')})`, '{{status}}'),
      },
    ],
  },
]

/** Queries of all charts. */
export function dashboardQueries(): readonly string[] {
  return ROWS.flatMap(({ charts }) => charts).flatMap(({ queries }) => queries.map(({ query }) => query))
}

/** Contents of the file. */
export function dashboardText(): string {
  return `${JSON.stringify(dashboard(), null, 2)}\n`
}

function dashboard() {
  return {
    uid: 'weir',
    title: 'Weir',
    tags: ['weir'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    graphTooltip: 1,
    annotations: { list: [] },
    links: [],
    templating: { list: [source(), choice('job', 'up'), choice('instance', 'up{job=~"$job"}')] },
    panels: panels(),
  }
}

function source() {
  return { name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' }
}

/** A choice among the values of a label, of which all are chosen at first. */
function choice(label: string, series: string) {
  return {
    name: label,
    type: 'query',
    datasource: { type: 'prometheus', uid: '$source' },
    query: { query: `label_values(${series}, ${label})`, refId: label },
    regex: label === 'job' ? '/^weir/' : '',
    refresh: 2,
    includeAll: true,
    allValue: label === 'job' ? 'weir.*' : '.*',
    multi: true,
    current: { selected: true, text: ['All'], value: ['$__all'] },
    sort: 1,
  }
}

function panels(): readonly object[] {
  const found: object[] = []
  let y = 0
  for (const { title, charts } of ROWS) {
    found.push({
      id: found.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    })
    y += 1
    for (const [place, chart] of charts.entries()) {
      const x = (place % CHARTS_PER_LINE) * CHART_WIDTH
      const top = y + Math.floor(place / CHARTS_PER_LINE) * CHART_HEIGHT
      found.push(panel(found.length + 1, chart, { x, y: top, w: CHART_WIDTH, h: CHART_HEIGHT }))
    }
    y += Math.ceil(charts.length / CHARTS_PER_LINE) * CHART_HEIGHT
  }
  return found
}

function panel(id: number, { title, description, unit, queries }: Chart, gridPos: object) {
  const datasource = { type: 'prometheus', uid: '$source' }
  return {
    id,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(({ query, legend }, place) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + place),
      datasource,
      expr: query,
      legendFormat: legend,
    })),
  }
}
