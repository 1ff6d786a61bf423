import type { CountsOfNode, NodeMetricsQuery } from './node-metrics.ts'
import type { CountOfErrors, PipelineErrorEntry, PipelineErrorsQuery } from './pipeline-errors.ts'
import type { FullFieldDaysOptions } from './search/full-field-days.ts'
import type { BucketCounts, Buckets, SliceOfCounts, ValueCounts } from './search/line-counts.ts'
import type { LinePage, LineSearch, LineSelection } from './search/line-selection.ts'
import type { NamedUsage, PoolUsage, UsageByKindQuery, UsagePeriod } from './usage/usage.ts'
import type { UsageInBucket, UsageSeriesQuery } from './usage/usage-series.ts'

/**
 * Questions that a store answers from its rows. Callers describe the answer; only the store knows the language in which
 * it is found.
 *
 * Each method and each iteration throws StoreError: UNAVAILABLE, also while the store is not open yet; STORE_DAMAGED;
 * STATEMENT_FAILED. An aborted signal ends the work in the store, too, and is thrown as the signal's reason.
 */
export interface StoreSearches {
  /**
   * One page of the lines of a selection, ascending by time and id. Nothing is read before the rows are requested.
   *
   * @throws QuerySyntaxError for a query with more terms than the store can search for
   */
  search(selection: LineSelection, page: LinePage): LineSearch

  /**
   * UTC days (YYYY-MM-DD) on which the account sent more names of fields than are indexed, oldest first: days within the
   * period of a search, and those on which lines of the period came. Empty if neither the query nor
   * `fields` name a parsed field, because all lines and values are then found.
   */
  fullFieldDays(selection: LineSelection, options?: FullFieldDaysOptions): Promise<string[]>

  /**
   * Counts the lines of a selection by the values of a countable field (counted-field.ts), in slices of its period, newest
   * first. Leaving the iteration ends the work.
   *
   * @throws QuerySyntaxError for a query with more terms than the store can search for
   */
  countByValue(
    selection: LineSelection,
    field: string,
    signal: AbortSignal,
  ): AsyncIterable<SliceOfCounts<ValueCounts>>

  /** Like `countByValue`, by time and by some values of a field. */
  countByTime(
    selection: LineSelection,
    buckets: Buckets,
    signal: AbortSignal,
  ): AsyncIterable<SliceOfCounts<BucketCounts>>

  /**
   * Bytes and lines per app, host or tag, largest first. A line with several tags counts for each, and one without tags
   * for none.
   */
  usageByKind(query: UsageByKindQuery, signal?: AbortSignal): Promise<NamedUsage[]>

  /** Streams the result, some thousand rows at a time: there may be a million. */
  usageByKindStream(query: UsageByKindQuery, signal: AbortSignal): AsyncIterable<NamedUsage[]>

  /** Bytes and lines of some names, and of all others together, in intervals of a period. Intervals without any are left out. */
  usageSeries(query: UsageSeriesQuery, signal?: AbortSignal): Promise<UsageInBucket[]>

  /** Bytes and lines per pool, smallest pool first; their sum is everything that was stored in the period. */
  usageTotals(period: UsagePeriod, signal?: AbortSignal): Promise<PoolUsage[]>

  /** Equal errors of one of some pipelines as one entry, newest first. */
  pipelineErrors(query: PipelineErrorsQuery, signal?: AbortSignal): Promise<PipelineErrorEntry[]>

  /** Numbers of errors by pipeline, node and code, the largest first, at most `limit` of them. */
  pipelineErrorCounts(query: PipelineErrorsQuery, signal?: AbortSignal): Promise<CountOfErrors[]>

  /** Counts of the nodes of some pipelines over time, by pipeline, node, output and time. Intervals without any are left out. */
  nodeMetrics(query: NodeMetricsQuery, signal?: AbortSignal): Promise<CountsOfNode[]>
}
