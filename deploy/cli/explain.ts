import { Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { CommandError, EXIT, type ExitCode, UNREACHABLE } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { MISSING_LINES, missingLine } from './missing-lines.ts'
import { isChosen, type OutputOptions, withOutput, writeListing } from './output/output.ts'
import { pipelineId } from './pipeline/pipeline-access.ts'
import { readQuery } from './query.ts'
import { printable } from './table.ts'
import { timesOf } from './times/times.ts'
import { note, type World, write } from './world.ts'

const HELP = `
The command replays the kept log as of the time of the line. It shows the revision that handled the line, each node
that the line passed, and the node and rule that ended it; for a throttle, the key and the times that filled its window.
Without a pipeline it shows the way through all pipelines of the account, and through the default graph.

With --missing it lists the lines of a period of which nothing is in the store: when each came, the node or rule that
ended it, and for a throttle the key, and the time from which the key is free. The oldest lines come first.

Exit codes: 0 when lines were found, 1 when none was, 2 wrong usage, 3 ${UNREACHABLE}.

Examples:
  weir explain --batch-id 4a1b2c3d:0:4711:0
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --batch-id 4a1b2c3d:0:4711:0
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --line-id 152278…
  weir explain 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --query 'timeout app:web' --from 15min
  weir explain --missing --query customer --from 1h`

const USAGE =
  'Specify the line by one of --line-id, --batch-id and --query; --missing needs none but allows --query.'
const NOT_FOUND = 'The kept log does not contain such a line.\n'
const NONE_MISSING = 'No such line is missing from the store.\n'

interface Options extends OutputOptions {
  readonly lineId?: string
  readonly batchId?: string
  readonly query?: string
  readonly missing?: true
  readonly from: string
  readonly to: string
  readonly limit: string
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
  return withOutput(new Command('explain'), 'print each line as one JSON object')
    .summary('explain how pipelines handled a line')
    .description('Explain how pipelines handled a line, and why.')
    .argument('[pipeline]', 'id or title of the only pipeline to show')
    .option('--line-id <id>', '_id of a stored line')
    .option('--batch-id <id>', 'batchID from the answer of ingestion')
    .option('--query <query>', 'search query that is applied to the lines as sent', readQuery)
    .option('--missing', 'list the lines that are not stored as a table; without --query: all of them')
    .option('--from <time>', 'with --query or --missing: start of the period', '15min')
    .option('--to <time>', 'with --query or --missing: end of the period', 'now')
    .option('-n, --limit <number>', 'with --query: maximum number of lines, 1 to 100', '20')
    .addHelpText('after', HELP)
    .action(async (pipeline: string | undefined, options: Options) =>
      finish(await explain(pipeline, options, world)),
    )
}

async function explain(wanted: string | undefined, options: Options, world: World): Promise<ExitCode> {
  const { lineId, batchId, missing } = options
  const query = options.query ?? (missing && '')
  if ([lineId, batchId, query].filter(each => each !== undefined).length !== 1)
    throw new CommandError(EXIT.usage, USAGE)
  const api = apiClient(apiAddress(world), world)
  const path =
    wanted === undefined
      ? '/v3/explain'
      : `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/explain`
  let found = 0
  const lines =
    query === undefined
      ? linesOf(api, path, { line_id: lineId, batch_id: batchId })
      : foundLines(api, path, { ...options, query }, world)
  if (isChosen(options) && !missing)
    throw new CommandError(
      EXIT.usage,
      '--output and --fields belong to --missing; --json prints explained lines.',
    )
  if (missing && !options.json) return listMissing(lines, options, world)
  for await (const line of lines) {
    found++
    await write(world.stdout, options.json ? `${jsonText(line)}\n` : `${shown(line).join('\n')}\n\n`)
  }
  if (found === 0) await write(world.stderr, missing ? NONE_MISSING : NOT_FOUND)
  return found === 0 ? EXIT.partly : EXIT.done
}

async function listMissing(lines: AsyncIterable<Line>, options: Options, world: World): Promise<ExitCode> {
  const found: Line[] = []
  for await (const line of lines) found.push(line)
  if (found.length === 0) {
    await write(world.stderr, NONE_MISSING)
    return EXIT.partly
  }
  const times = await timesOf(world)
  const rows = found.map(line => missingLine(line, times))
  await writeListing(MISSING_LINES, rows, options, world)
  if (found.length >= Number(options.limit))
    await note(world, `Only the first ${found.length} are listed: specify a shorter period, or --limit.`)
  return EXIT.done
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
  {
    query,
    missing,
    from,
    to,
    limit,
  }: Pick<Options, 'missing' | 'from' | 'to' | 'limit'> & { readonly query: string },
  world: World,
): AsyncIterable<Line> {
  const times = await timesOf(world)
  const asked = {
    query,
    from: times.read('--from', from, 'start'),
    to: times.read('--to', to, 'end'),
    limit,
    missing: missing && 'true',
  }
  const showsProgress = world.stderr.isTTY && !world.quiet
  for await (const piece of api.jsonLines(path, { query: asked })) {
    const { line, progress, error } = piece as Record<string, JsonObject | undefined>
    if (line !== undefined) yield line as Line
    else if (error !== undefined) throw new CommandError(EXIT.unreachable, String(error.message))
    else if (progress !== undefined && showsProgress)
      await write(
        world.stderr,
        `\r${String(progress.records)} records, at ${String(progress.handled_at)}\u001b[K`,
      )
  }
  if (showsProgress) await write(world.stderr, '\r\u001b[K')
}

function shown({ place, summary, event, pipeline, pipelines, handled_at: at }: Line): string[] {
  const { message } = event as JsonObject
  const { steps = [] } = (pipeline ?? {}) as { steps?: Step[] }
  const all = (pipelines ?? []) as { title: string; revision: number; steps: Step[] }[]
  return [
    `${printable(jsonText(message as JsonValue))}`,
    `  ${String(at)} ${place}`,
    ...steps.flatMap(stepLines),
    ...all.flatMap(({ title, revision, steps: way }) =>
      way.length === 0 ? [] : [printable(`  "${title}", revision ${revision}`), ...way.flatMap(stepLines)],
    ),
    `  ${printable(summary)}`,
  ]
}

function stepLines(step: Step): string[] {
  const { node_id: id, type, title, outcome, outputs, reason, errors, place, delivery } = step
  const name = title === null ? type : `${type} "${String(title)}"`
  const ways =
    Array.isArray(outputs) && outputs.some(output => output !== id) ? ` by ${outputs.join(', ')}` : ''
  const where = place === undefined ? '' : ` at ${String(place)}`
  return [
    printable(`  ${markOf(outcome)} ${name} ${id}: ${outcome.replaceAll('_', ' ')}${ways}${where}`),
    ...(reason === undefined ? [] : [printable(`      ${jsonText(reason)}`)]),
    ...(delivery === undefined ? [] : [deliveryLine(delivery as JsonObject)]),
    ...(errors as JsonObject[]).map(({ code, message }) =>
      printable(`      ${String(code)}: ${String(message)}`),
    ),
  ]
}

function deliveryLine({ state, batch_id: batch, at, error }: JsonObject): string {
  const { code, message } = (error ?? {}) as JsonObject
  const parts = [
    String(state).replaceAll('_', ' '),
    ...(batch === undefined ? [] : [`in batch ${String(batch)}`]),
    ...(at === undefined ? [] : [`at ${String(at)}`]),
  ]
  return printable(
    `      ${parts.join(' ')}${error === undefined ? '' : `: ${String(code)}: ${String(message)}`}`,
  )
}

function markOf(outcome: string): string {
  if (outcome === 'under_way' || outcome === 'not_kept') return '…'
  return outcome === 'passed' || outcome === 'moved' ? '→' : '✗'
}
