import type { Page } from 'playwright-core'

/** An answer that a test gives in place of the server. */
export interface SeededAnswer {
  readonly json?: unknown
  /** Pieces of an answer of NDJSON. */
  readonly pieces?: readonly object[]
  /** A sentence that the page then shows. */
  readonly shows: RegExp | string
}

/** A list or panel of a page, which asks the server for its content. */
export interface ListedState {
  readonly name: string
  readonly request: RegExp
  /** Absent where the content is never empty. */
  readonly empty?: SeededAnswer
  /** More than is shown, and the sentence that says so. */
  readonly tooMuch?: SeededAnswer
  /** Statuses with a meaning of their own, which the page does not show as errors. */
  readonly meant?: readonly number[]
  /** Whether it appears without a bar of its own, beside another list that has one. */
  readonly isQuiet?: boolean
}

export interface ListedPage {
  readonly path: string
  /** A text of the page once it has its content. */
  readonly content: RegExp
  readonly lists: readonly ListedState[]
  /** Makes the lists appear on the opened page. */
  readonly open?: (page: Page) => Promise<void>
}

const data = (value: unknown, shows: SeededAnswer['shows']): SeededAnswer => ({
  json: { data: value },
  shows,
})
const HISTOGRAM = { interval_ms: 1, starts: [1], series: [], other: [0], lines: 0, complete: true }
const FACET = { field: 'app', other: 0, absent: 0, exact: true, of_lines: 1, complete: true }
const NOT_DELIVERED = {
  ...{
    at: '2026-01-01T00:00:00Z',
    state: 'delivering',
    failing_since: null,
    lag_seconds: 0,
    last_trouble: null,
  },
  ...{ handed_over: 0, delivered: 0, given_up: 0, dropped: 0, waiting: 0 },
}
const USAGE = { kind: 'apps', interval: 'day', starts: [0], series: [], other: { lines: [0], bytes: [0] } }

/** All pages with lists. @param pipeline a pipeline that runs, whose node `calm` is a throttle */
export function listedPages({ pipeline, line }: { pipeline: string; line: string }): readonly ListedPage[] {
  return [
    {
      path: '/console/search',
      content: /a line of audit/,
      lists: [
        {
          name: 'lines',
          request: /\/v3\/search\?.*limit=1000/,
          empty: {
            pieces: [{ end: { next: null, access: 'order' } }],
            shows: 'No line was found',
          },
        },
        {
          name: 'histogram',
          request: /\/v3\/search\/histogram\?.*by=level/,
          empty: data({ from: 1, to: 2, covered_from: 1, ...HISTOGRAM }, '0 lines'),
          tooMuch: data(
            { from: 1, to: 2, covered_from: 2, ...HISTOGRAM, lines: 7, complete: false },
            'Count the rest',
          ),
        },
        {
          name: 'facets',
          request: /\/v3\/search\/facet\?/,
          empty: data([{ ...FACET, distinct: 0, values: [] }], 'No values'),
          tooMuch: data(
            [{ ...FACET, distinct: 6, values: [{ value: 'web', lines: 1 }] }],
            '5 further values',
          ),
        },
        {
          name: 'fields',
          request: /\/v3\/search\/field\?/,
          empty: data({ fields: [], of_lines: 0, complete: true }, 'No fields'),
          tooMuch: data(
            { fields: [{ name: 'f', type: 'text', lines: 9, examples: [] }], of_lines: 9, complete: false },
            'In the newest 9 lines of the search',
          ),
        },
      ],
    },
    {
      path: `/console/search?line=${line}&open=context`,
      content: /Same host/,
      lists: [
        {
          name: 'context',
          request: /\/v3\/search\/context\?/,
          tooMuch: data(
            {
              before: [],
              line: { _id: line, _ts: 1, _line: 'x' },
              after: [],
              more_before: true,
              more_after: true,
            },
            'Show 50 earlier lines',
          ),
        },
      ],
    },
    {
      path: `/console/search?line=${line}&open=why`,
      content: /Without a pipeline: stored once/,
      lists: [
        {
          name: 'why',
          request: /\/v3\/explain\?/,
          empty: data([], 'The log of that time is no longer kept'),
        },
      ],
    },
    {
      path: '/console/search',
      content: /Save as a new view/,
      open: page => page.getByRole('button', { name: 'Views' }).click(),
      lists: [
        {
          name: 'views',
          request: /\/v1\/config\/view$/,
          empty: { json: [], shows: 'Save a search as a view' },
        },
      ],
    },
    {
      path: '/console/usage',
      content: /Change quotas/,
      lists: [
        {
          name: 'usage',
          request: /\/v3\/usage\/series\?/,
          empty: data({ from: 0, to: 1, exact: true, ...USAGE }, 'Nothing was stored in this period'),
          tooMuch: data(
            {
              ...{ from: 0, to: 1, exact: false, ...USAGE },
              series: [{ name: 'web', lines: [1], bytes: [1] }],
              other: { lines: [2], bytes: [2] },
            },
            'All others',
          ),
        },
        { name: 'quotas', request: /\/v1\/config\/usage-quotas$/ },
      ],
    },
    {
      path: '/console/pipelines',
      content: /Fewer lines/,
      lists: [
        { name: 'pipelines', request: /\/v3\/pipeline$/, empty: data([], 'There is no pipeline') },
        { name: 'figures', request: /\/v3\/pipeline\/metrics$/, isQuiet: true },
        { name: 'deliveries', request: /\/v3\/pipeline\/delivery$/, isQuiet: true },
      ],
    },
    {
      path: '/console/errors',
      content: /No node reported an error|An error shows when its minute is over/,
      lists: [
        {
          name: 'errors',
          request: /\/v3\/pipeline\/error\?/,
          empty: data([], 'No node reported an error in this period'),
          tooMuch: data(
            Array.from({ length: 200 }, (_, at) => ({
              ...{
                id: String(at),
                pipeline_id: 'p',
                node_id: 'n',
                code: 'E',
                message: 'm',
                count: 1,
                captured: '',
              },
              ...{ first_seen: '2026-01-01T00:00:00Z', last_seen: '2026-01-01T00:00:00Z', hours: [] },
            })),
            'Only the 200 newest are shown',
          ),
        },
        { name: 'counts', request: /\/v3\/pipeline\/error\/count\?/, isQuiet: true },
      ],
    },
    {
      path: `/console/dead-letters?pipeline=${pipeline}`,
      content: /Failed events of Fewer lines/,
      lists: [
        { name: 'waiting', request: /\/v3\/pipeline\/dead-letter$/ },
        {
          name: 'letters',
          request: /\/v3\/pipeline\/[^/]+\/dead-letter\?/,
          empty: {
            json: { meta: { page: { next: null }, settings: { kept: false, days: 7 } }, data: [] },
            shows: 'No failed event matches this',
          },
          tooMuch: {
            json: { meta: { page: { next: 'n' }, settings: { kept: false, days: 7 } }, data: [] },
            shows: 'Show more',
          },
        },
      ],
    },
    {
      path: '/console/audit',
      content: /Values that may be secrets are masked/,
      lists: [
        {
          name: 'audit',
          request: /\/v1\/config\/audit\?/,
          empty: { json: { events: [], next: null }, shows: 'No change matches' },
          tooMuch: { json: { events: [], next: 'n' }, shows: 'Older changes' },
        },
      ],
    },
    {
      path: '/console/system',
      content: /Accepted lines/,
      lists: [{ name: 'status', request: /\/v3\/system\/status$/ }],
    },
    {
      path: `/console/pipelines/${pipeline}?tab=revisions`,
      content: /Restore…/,
      lists: [{ name: 'revisions', request: /\/revision$/, empty: data([], 'Nothing was published yet') }],
    },
    {
      path: `/console/pipelines/${pipeline}?tab=variables`,
      content: /operational_state|Save variables/,
      lists: [{ name: 'variables', request: /\/v3\/pipeline\/state-variable\?/ }],
    },
    {
      path: `/console/pipelines/${pipeline}?rev=deployed&node=calm&open=state`,
      content: /each may pass 2 events/,
      lists: [
        {
          name: 'keys',
          request: /\/bucket\?/,
          meant: [404, 409],
          empty: {
            json: { meta: { totals: { threshold: 2, window_ms: 3_600_000, buckets: 0 } }, data: [] },
            shows: 'No events have passed in this window',
          },
          tooMuch: {
            json: { meta: { totals: { threshold: 2, window_ms: 3_600_000, buckets: 700 } }, data: [] },
            shows: '700 keys',
          },
        },
      ],
    },
    {
      path: `/console/pipelines/${pipeline}?rev=deployed&node=hook&open=delivery`,
      content: /No event has reached this destination yet/,
      lists: [
        {
          name: 'delivery',
          request: /\/sink\/[^/]+\/delivery$/,
          meant: [404, 409],
          empty: data(NOT_DELIVERED, 'No event has reached this destination yet'),
        },
      ],
    },
    {
      path: `/console/pipelines/${pipeline}`,
      content: /Draft/,
      lists: [{ name: 'pipeline', request: new RegExp(`/v3/pipeline/${pipeline}$`), meant: [404] }],
    },
  ]
}
