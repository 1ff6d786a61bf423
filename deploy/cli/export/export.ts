import { Command } from 'commander'
import { parseExactJson } from '../../../engine/json/exact-json.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { type ApiClient, apiClient } from '../api-client.ts'
import { grouped } from '../byte-size.ts'
import { CommandError, EXIT, UNREACHABLE } from '../command-error.ts'
import { apiAddress } from '../connection.ts'
import { readLimit } from '../limit.ts'
import {
  type LineLists,
  listParameters,
  type PeriodOptions,
  periodOf,
  withLineLists,
  withPeriod,
} from '../line-selection.ts'
import { lineListing } from '../line-text.ts'
import { type RowText, rowText, STREAMED, type StreamedFormat, withOutput } from '../output/output.ts'
import { inTime, perSecond } from '../output/task-progress.ts'
import { readQuery } from '../query.ts'
import { timesOf } from '../times/times.ts'
import { note, type World } from '../world.ts'
import { ExportFile, partOf } from './export-file.ts'
import { shownProgress } from './export-progress.ts'
import { type ExportState, StandardOutput, type Target } from './export-target.ts'
import { type FoundLines, foundLines, type LineQuery, lastLineMs } from './found-lines.ts'

interface ExportOptions extends LineLists, PeriodOptions {
  readonly limit?: number
  readonly file?: string
  readonly restart?: true
  readonly after?: string
  readonly output?: StreamedFormat
  readonly fields?: readonly string[]
}

const HELP = `
Lines are written oldest first, as JSON lines unless -o csv or -o raw is given. "weir help query"
explains the query language. Lines that arrive later with a time that is already exported are not included.

With --file, lines are written to FILE.part, which becomes FILE at the end. After Ctrl+C, or when the
server has gone, the same command continues the file. To standard output, --after continues.

Exit codes: 0 done, 2 wrong usage or query, 3 ${UNREACHABLE},
130 interrupted before the end.

Examples:
  weir export --from 7d --file week.ndjson
  weir export 'level:error' --from 2026-01-01 --to 2026-01-31 -o csv --file january.csv
  weir export --app nginx -o raw | gzip > nginx.log.gz
  weir export --fields _ts,status,message --from 1h | jq .status`

export function exportCommand(world: World): Command {
  const command = withOutput(new Command('export'), undefined, STREAMED)
    .summary('write all lines that a search finds to a file')
    .description('Write all lines that a search finds, oldest first, however many they are.')
    .argument('[query]', 'search query', readQuery, '')
    .option('-f, --file <file>', 'file for the lines; default: standard output')
    .option('-n, --limit <number>', 'maximum number of lines; default: all', readLimit)
    .option('--restart', 'begin again, even if FILE.part of an interrupted export is there')
    .option('--after <position>', 'begin behind this line: the position that an interrupted export prints')
  return withLineLists(withPeriod(command, '1d'))
    .addHelpText('after', HELP)
    .action(async (query: string, options: ExportOptions) => exportLines(query, options, world))
}

async function exportLines(query: string, options: ExportOptions, world: World): Promise<void> {
  const times = await timesOf(world)
  const fresh: ExportState = { ...periodOf(options, times), position: options.after, lines: 0, bytes: 0 }
  const address = apiAddress(world)
  const { file, restart, fields, ...rest } = options
  const asked = {
    url: address.url,
    account: address.account ?? null,
    query,
    ...rest,
    fields: fields?.join(',') ?? null,
  }
  const target =
    file === undefined
      ? new StandardOutput(fresh, world)
      : await ExportFile.open(file, { asked, fresh, mayContinue: restart !== true }, world)
  if (target.isResumed) await note(world, `Continues behind ${grouped(target.state.lines)} lines.`)
  const form = rowText(options.output ?? 'ndjson', options.fields, lineListing(times))
  const isAsSent = options.output !== 'csv' && options.output !== 'raw' && options.fields === undefined
  const textOf = isAsSent ? asSent : written(form)
  try {
    await copyLines(
      apiClient(address, world),
      query,
      { options, target, textOf, heading: form.heading },
      world,
    )
  } catch (error) {
    await leaveOff(error, target, file, world)
  }
}

interface Copy {
  readonly options: ExportOptions
  readonly target: Target
  readonly textOf: (records: readonly string[]) => string
  readonly heading: string | undefined
}

/** Copies lines until all are written, or the program is to end. */
async function copyLines(
  api: ApiClient,
  query: string,
  { options, target, textOf, heading }: Copy,
  world: World,
): Promise<void> {
  const { state } = target
  const search = lineQuery(query, options, state)
  const progress = await shownProgress(options, () => lastLineMs(api, search), world)
  const [startMs, before] = [world.clock.monotonicMs(), { ...state }]
  const took = () => world.clock.monotonicMs() - startMs
  const lines = foundLines(api, search, world)
  try {
    for await (const { records, position } of lines) {
      const head = state.bytes === 0 && heading !== undefined && records.length > 0 ? `${heading}\n` : ''
      await target.write(`${head}${textOf(records)}`, records.length, position)
      progress.show(position, state, perSecond(state.lines - before.lines, took()))
      if (world.stop.aborted) throw new CommandError(EXIT.interrupted, 'Stopped.')
      if (target.isGone) return
    }
  } finally {
    progress.stop()
  }
  await target.complete()
  const written = state.lines - before.lines
  const rate = `${inTime(state.bytes - before.bytes, took())}: ${perSecond(written, took())} lines/s`
  await note(
    world,
    `Exported ${grouped(state.lines)} lines${options.file ? ` to ${options.file}` : ''} (${rate}).`,
  )
}

function lineQuery(query: string, options: ExportOptions, state: ExportState): LineQuery {
  return {
    parameters: {
      from: state.from,
      to: state.to,
      query,
      ...listParameters(options),
    },
    after: state.position,
    limit: (options.limit ?? Number.POSITIVE_INFINITY) - state.lines,
  }
}

function asSent(records: FoundLines['records']): string {
  return records.length === 0 ? '' : `${records.join('\n')}\n`
}

function written({ textOf }: RowText<JsonObject>): (records: FoundLines['records']) => string {
  return records => records.map(record => `${textOf(parseExactJson(record) as JsonObject)}\n`).join('')
}

/** Ends an export that is not complete, with a sentence that says how to continue it. */
async function leaveOff(
  error: unknown,
  target: Target,
  file: string | undefined,
  world: World,
): Promise<never> {
  const isKept = await target.keep()
  if (!(error instanceof CommandError) || !isKept) throw error
  const { lines, position } = target.state
  const wayOn =
    file === undefined
      ? `The same command with --after ${position} continues.`
      : `The same command continues ${partOf(file)}.`
  const said = world.stop.aborted ? 'Stopped' : `${error.message} It ended`
  throw new CommandError(error.exitCode, `${said} after ${grouped(lines)} lines. ${wayOn}`, { cause: error })
}
