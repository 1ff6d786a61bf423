import { Command, InvalidArgumentError } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import { MINUTE_MS, SECOND_MS } from '../../../engine/times/duration.ts'
import type { PipelineMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import type { ApiClient } from '../api-client.ts'
import { byteSize, rate } from '../byte-size.ts'
import { type Column, tableLines } from '../table.ts'
import { timesOf } from '../times/times.ts'
import { hasColours, type World, write } from '../world.ts'
import { client, pipelineId } from './pipeline-access.ts'
import { listedNodes, outputNames } from './pipeline-nodes.ts'

const HELP = `
Shows the events per second of each node, and of each edge between two nodes, over the last minutes. A minute
counts once it is over, which takes up to a minute more. The tables are shown again with each new minute.

Examples:
  weir pipeline watch Shop
  weir pipeline watch Shop --minutes 15 --once
  weir pipeline watch Shop --once --json`

const LOOK_EVERY_MS = 10_000
const MAX_MINUTES = 1_440

interface Options {
  readonly minutes: number
  readonly once?: true
  readonly json?: true
}

type NodeSeries = PipelineMetrics['nodes'][number]
type EdgeSeries = PipelineMetrics['edges'][number]

export function pipelineWatchCommand(world: World): Command {
  return new Command('watch')
    .description('Show the events per second of each node and edge of a pipeline.')
    .argument('<id>', 'id or title of the pipeline')
    .option('-m, --minutes <number>', `length of the period, 1 to ${MAX_MINUTES}`, readMinutes, 5)
    .option('--once', 'end after the first table')
    .option('--json', 'print the counts of each period as one JSON object')
    .addHelpText('after', HELP)
    .action(async (id: string, options: Options) => watch(id, options, world))
}

async function watch(wanted: string, options: Options, world: World): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  let shown: number | undefined
  while (!world.stop.aborted) {
    // The rows of a minute are stored soon after it is over.
    const toMs = Math.floor(world.clock.wallMs() / MINUTE_MS - 1) * MINUTE_MS
    if (toMs !== shown) {
      const metrics = await metricsUntil(api, id, toMs, options.minutes)
      const text = options.json
        ? jsonText(metrics as unknown as JsonObject)
        : (await tables(api, id, metrics, world)).join('\n')
      await write(world.stdout, `${text}\n`)
      shown = toMs
    }
    if (options.once) return
    await world.clock.sleep(LOOK_EVERY_MS, world.stop)
  }
}

async function metricsUntil(
  api: ApiClient,
  id: string,
  toMs: number,
  minutes: number,
): Promise<PipelineMetrics> {
  const query = {
    from: String(toMs - minutes * MINUTE_MS),
    to: String(toMs),
    interval_s: String((minutes * MINUTE_MS) / SECOND_MS),
  }
  const answer = await api.json(`/v3/pipeline/${encodeURIComponent(id)}/metrics`, { query })
  return (answer as { data: unknown }).data as PipelineMetrics
}

async function tables(api: ApiClient, id: string, metrics: PipelineMetrics, world: World): Promise<string[]> {
  const names = outputNames(await listedNodes(api, id))
  const nameOf = (place: string) => names.get(place) ?? place
  const seconds = (metrics.to - metrics.from) / SECOND_MS
  const perSecond = (counts: readonly number[]) => rate(sum(counts) / seconds)
  const nodes: readonly Column<NodeSeries>[] = [
    { title: 'NODE', text: ({ node }) => nameOf(node) },
    { title: 'IN/S', align: 'right', text: row => perSecond(row.events_in) },
    { title: 'OUT/S', align: 'right', text: row => perSecond(row.events_out) },
    { title: 'DROPPED/S', align: 'right', text: row => perSecond(row.dropped) },
    { title: 'FAILED/S', align: 'right', text: row => perSecond(row.failed) },
    { title: 'HELD', align: 'right', text: row => signed(sum(row.held)) },
  ]
  const edges: readonly Column<EdgeSeries>[] = [
    { title: 'FROM', text: ({ output }) => nameOf(output) },
    { title: 'TO', text: ({ node }) => nameOf(node) },
    { title: 'EVENTS/S', align: 'right', text: row => perSecond(row.events) },
    { title: 'BYTES/S', align: 'right', text: row => byteSize(sum(row.bytes) / seconds) },
  ]
  const { iso } = await timesOf(world)
  const heading = `${iso(metrics.from)} to ${iso(metrics.to)}`
  if (metrics.nodes.length === 0) return [`${heading}: no events`, '']
  return [
    heading,
    ...tableLines(nodes, metrics.nodes, hasColours(world)),
    '',
    ...tableLines(edges, metrics.edges, hasColours(world)),
    '',
  ]
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

function signed(change: number): string {
  return change === 0 ? '-' : `${change > 0 ? '+' : ''}${change}`
}

function readMinutes(text: string): number {
  const minutes = Number(text)
  if (!/^\d{1,4}$/.test(text) || minutes < 1 || minutes > MAX_MINUTES)
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_MINUTES}.`)
  return minutes
}
