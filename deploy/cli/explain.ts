import { Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { CommandError, EXIT, type ExitCode } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { pipelineId } from './pipeline/pipeline-access.ts'
import { pointInTime } from './point-in-time.ts'
import { printable } from './table.ts'
import { type World, write } from './world.ts'

const HELP = `
The command replays the kept log as of the time of the line. It shows the revision that handled the line, each node
that the line passed, and the node and rule that ended it; for a throttle, the key and the times that filled its window.

Exit codes: 0 when lines were found, 1 when none was, 2 wrong usage, 3 service unreachable or not authorised.

Examples:
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --batch-id 4a1b2c3d:0:4711:0
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --line-id 152278…
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --query 'timeout app:web' --from 15min`

interface Options {
  readonly lineId?: string
  readonly batchId?: string
  readonly query?: string
  readonly from: string
  readonly to: string
  readonly limit: string
  readonly json?: true
}

interface Step extends JsonObject {
  node_id: string
  type: string
  outcome: string
}

interface Line extends JsonObject {
  place: string
  summary: string
}

export function explainCommand(world: World, finish: (code: ExitCode) => void): Command {
  return new Command('explain')
    .summary('explain how a pipeline handled a line')
    .description('Explain how a pipeline handled a line, and why.')
    .argument('<pipeline>', 'id or title of the pipeline')
    .option('--line-id <id>', '_id of a stored line')
    .option('--batch-id <id>', 'batchID from the answer of ingestion')
    .option('--query <query>', 'search query that is applied to the lines as sent')
    .option('--from <time>', 'with --query: start of the period', '15min')
    .option('--to <time>', 'with --query: end of the period', 'now')
    .option('-n, --limit <number>', 'with --query: maximum number of lines, 1 to 100', '20')
    .option('--json', 'print each line as one JSON object')
    .addHelpText('after', HELP)
    .action(async (pipeline: string, options: Options) => finish(await explain(pipeline, options, world)))
}

async function explain(wanted: string, options: Options, world: World): Promise<ExitCode> {
  const { lineId, batchId, query } = options
  if ([lineId, batchId, query].filter(each => each !== undefined).length !== 1)
    throw new CommandError(EXIT.usage, 'Specify the line by one of --line-id, --batch-id and --query.')
  const api = apiClient(apiAddress(world), world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/explain`
  let found = 0
  const lines =
    query === undefined
      ? linesOf(api, path, { line_id: lineId, batch_id: batchId })
      : foundLines(api, path, { query, ...options }, world)
  for await (const line of lines) {
    found++
    await write(world.stdout, options.json ? `${jsonText(line)}\n` : `${shown(line).join('\n')}\n\n`)
  }
  if (found === 0) await write(world.stderr, 'The kept log does not contain such a line.\n')
  return found === 0 ? EXIT.partly : EXIT.done
}

async function* linesOf(
  api: ApiClient,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): AsyncIterable<Line> {
  const { data } = (await api.json(path, { query })) as { data: Line[] }
  yield* data
}

async function* foundLines(
  api: ApiClient,
  path: string,
  { query, from, to, limit }: Pick<Options, 'from' | 'to' | 'limit'> & { readonly query: string },
  world: World,
): AsyncIterable<Line> {
  const nowMs = world.clock.wallMs()
  const asked = {
    query,
    from: pointInTime('--from', from, nowMs, 'start'),
    to: pointInTime('--to', to, nowMs, 'end'),
    limit,
  }
  for await (const piece of api.jsonLines(path, { query: asked })) {
    const { line, progress, error } = piece as Record<string, JsonObject | undefined>
    if (line !== undefined) yield line as Line
    else if (error !== undefined) throw new CommandError(EXIT.unreachable, String(error.message))
    else if (progress !== undefined && world.stderr.isTTY)
      await write(
        world.stderr,
        `\r${String(progress.records)} records, at ${String(progress.handled_at)}\u001b[K`,
      )
  }
  if (world.stderr.isTTY) await write(world.stderr, '\r\u001b[K')
}

function shown({ place, summary, event, pipeline, handled_at: at }: Line): string[] {
  const { message } = event as JsonObject
  const { steps = [] } = (pipeline ?? {}) as { steps?: Step[] }
  return [
    `${printable(jsonText(message as JsonValue))}`,
    `  ${String(at)} ${place}`,
    ...steps.flatMap(stepLines),
    `  ${printable(summary)}`,
  ]
}

function stepLines(step: Step): string[] {
  const { node_id: id, type, title, outcome, outputs, reason, errors, place } = step
  const name = title === null ? type : `${type} "${String(title)}"`
  const ways =
    Array.isArray(outputs) && outputs.some(output => output !== id) ? ` by ${outputs.join(', ')}` : ''
  const where = place === undefined ? '' : ` at ${String(place)}`
  return [
    printable(`  ${markOf(outcome)} ${name} ${id}: ${outcome.replaceAll('_', ' ')}${ways}${where}`),
    ...(reason === undefined ? [] : [printable(`      ${jsonText(reason)}`)]),
    ...(errors as JsonObject[]).map(({ code, message }) =>
      printable(`      ${String(code)}: ${String(message)}`),
    ),
  ]
}

function markOf(outcome: string): string {
  if (outcome === 'under_way' || outcome === 'not_kept') return '…'
  return outcome === 'passed' || outcome === 'moved' ? '→' : '✗'
}
