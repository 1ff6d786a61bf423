import type { JsonObject } from '../../../schemas/json.ts'
import { apiClient } from '../api-client.ts'
import { apiAddress } from '../connection.ts'
import { type LineLists, listParameters, type PeriodOptions, periodOf } from '../line-selection.ts'
import { type Times, timesOf } from '../times/times.ts'
import { note, type World } from '../world.ts'

/** Time that the service may take to count, ms: its longest. */
const BUDGET_MS = 30_000

export interface CountOptions extends LineLists, PeriodOptions {}

/** A count of lines, or of what lines contain, as far as the service came. */
interface Coverage {
  readonly complete: boolean
  /** UNIX ms. */
  readonly covered_from: number
}

/**
 * Asks the service to count lines of a period.
 *
 * @param path path below `/v3/search`
 * @returns the answer, and the period for sentences
 */
export async function counted<Answer>(
  path: string,
  {
    query,
    options,
    ...parameters
  }: { readonly query: string; readonly options: CountOptions } & Readonly<Record<string, unknown>>,
  world: World,
): Promise<{ readonly answer: Answer; readonly times: Times; readonly period: string }> {
  const times = await timesOf(world)
  const { from, to } = periodOf(options, times)
  const asked = {
    ...{ from, to, query, ...listParameters(options), budget_ms: BUDGET_MS },
    ...(parameters as Record<string, string | number | undefined>),
  }
  const { data } = (await apiClient(apiAddress(world), world).json(path, { query: asked })) as JsonObject
  const period = `${times.text(from)} to ${times.text(to)} (${times.zone})`
  return { answer: data as unknown as Answer, times, period }
}

/** Says on standard error when the service has not counted the whole period. */
export async function noteCoverage(
  { complete, covered_from: fromMs }: Coverage,
  times: Times,
  world: World,
): Promise<void> {
  if (!complete)
    await note(world, `Only lines from ${times.text(fromMs)} on were read: choose a shorter period for all.`)
}
