import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { type ApiClient, ApiRefusal } from '../api-client.ts'
import { grouped } from '../byte-size.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { type Column, printable, tableLines } from '../table.ts'
import { hasColours, note, type World, write } from '../world.ts'
import { nodeNamed } from './node-named.ts'
import { client, pipelineId } from './pipeline-access.ts'
import type { PipelineSource } from './pipeline-source.ts'

const STANDARD_INPUT = '-'
const LOOK_EVERY_MS = 500
const EVENTS_SHOWN = 20
const MAX_TAP_S = 300

const SIMULATE_HELP = `
Samples are lines of text, JSON lines or a JSON array, from a file or from standard input. Nothing is sent or
stored. --file tries the pipeline in a file instead of the draft.

Examples:
  weir pipeline simulate Shop samples.ndjson
  echo '{"message":"hi"}' | weir pipeline simulate Shop -
  weir pipeline simulate Shop samples.txt --file shop.yaml --json`

const PREVIEW_HELP = `
Runs the draft on the lines of the last minutes, beside the deployed revision, and compares their effect.
Nothing is sent or stored. Ctrl-C cancels it.

Exit codes: 0 no line would be handled differently, 1 some would.

Examples:
  weir pipeline preview Shop
  weir pipeline preview Shop --minutes 1440 --json
  weir pipeline preview Shop --file shop.yaml`

const TAP_HELP = `
Prints events as they leave a node of the deployed revision, as JSON lines, until there were --limit of them,
--seconds are over, or Ctrl-C.

Examples:
  weir pipeline tap Shop filter --limit 10
  weir pipeline tap Shop 5a0c… --seconds 60 | jq .message`

interface TrialOptions {
  readonly revision?: string
  readonly file?: string
  readonly json?: true
}

/** Commands that show how a pipeline handles or would handle events, without any effect. */
export function trialCommands(world: World, finish: (code: ExitCode) => void): Command[] {
  return [
    ofTrial(new Command('simulate'))
      .description('Run samples through the draft, a revision or a file, and show what becomes of them.')
      .argument('<samples>', 'file with samples; "-": standard input')
      .addOption(
        new Option('--format <format>', 'form of the samples')
          .choices(['auto', 'json', 'ndjson', 'text'])
          .default('auto'),
      )
      .option('--source <node>', 'source of the samples; needed if the pipeline has several')
      .addHelpText('after', SIMULATE_HELP)
      .action(async (id: string, samples: string, options: SimulateOptions) =>
        finish(await simulate(id, samples, options, world)),
      ),
    ofTrial(new Command('preview'))
      .description('Compare the draft, a revision or a file with the deployed revision on real lines.')
      .option('-m, --minutes <number>', 'length of the period, 1 to 10080', '60')
      .addHelpText('after', PREVIEW_HELP)
      .action(async (id: string, options: TrialOptions & { minutes: string }) =>
        finish(await preview(id, options, world)),
      ),
    new Command('tap')
      .description('Print events as they leave a node.')
      .argument('<id>', 'id or title of the pipeline')
      .argument('[node]', 'id or title of a source or processor; needed if there are several')
      .option('--output <id>', 'only events that leave by this output')
      .option('-n, --limit <number>', 'number of events, 1 to 1000', '100')
      .option('--seconds <number>', `time after which it ends, 1 to ${MAX_TAP_S}`, String(MAX_TAP_S))
      .addHelpText('after', TAP_HELP)
      .action(async (id: string, node: string | undefined, options: TapOptions) =>
        tap(id, node, options, world),
      ),
  ]
}

function ofTrial(command: Command): Command {
  return command
    .argument('<id>', 'id or title of the pipeline')
    .option('--revision <number>', 'a published revision instead of the draft')
    .option('--file <file>', 'the pipeline in this file instead of the draft')
    .option('--json', 'print the answer as one JSON object')
}

/** The pipeline that a trial is about: the draft without both options. Undefined for a file that is not valid. */
async function subjectOf(
  { revision, file }: TrialOptions,
  world: World,
): Promise<{ readonly body: JsonObject; readonly source?: PipelineSource } | undefined> {
  if (revision !== undefined && file !== undefined)
    throw new CommandError(EXIT.usage, 'Give --revision or --file, not both.')
  if (file === undefined) return { body: revision === undefined ? {} : { revision } }
  const { readSource, writeFindings } = await fileReader()
  const source = await readSource(file, world)
  if (source.value !== undefined) return { body: { pipeline: source.value }, source }
  await writeFindings(source, source.problems, world)
  return undefined
}

/** Reader of files, loaded on demand: other commands start without it. */
function fileReader() {
  return import('./pipeline-source.ts')
}

/** Sends the request of a trial. Findings about its file are printed with their lines; then undefined is returned. */
async function sentTrial(
  api: ApiClient,
  path: string,
  body: JsonObject,
  source: PipelineSource | undefined,
  world: World,
): Promise<JsonObject | undefined> {
  try {
    return ((await api.json(path, { method: 'POST', body })) as { data: JsonObject }).data
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.problems.length === 0 || source === undefined) throw error
    const inFile = error.problems.map(({ instancePath, message }) => ({
      instancePath: instancePath.replace(/^\/pipeline/, ''),
      message,
    }))
    const { writeFindings } = await fileReader()
    await writeFindings(source, inFile, world)
    return undefined
  }
}

interface SimulateOptions extends TrialOptions {
  readonly format: string
  readonly source?: string
}

interface SimulatedNode {
  readonly type: string
  readonly title: string | null
  readonly name?: string
  readonly kind: string
  readonly events_in: number
  readonly events_out: number
  readonly dropped: readonly unknown[]
  readonly failed: readonly unknown[]
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  readonly outputs: readonly { readonly events: readonly { readonly event: JsonObject }[] }[]
}

async function simulate(
  wanted: string,
  samples: string,
  options: SimulateOptions,
  world: World,
): Promise<ExitCode> {
  const subject = await subjectOf(options, world)
  if (subject === undefined) return EXIT.usage
  const given = samples === STANDARD_INPUT ? await text(world.stdin) : await readFile(samples, 'utf8')
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/simulate`
  const source = options.source === undefined ? {} : { source: options.source }
  const body = { ...subject.body, ...source, samples: given, format: options.format }
  const result = await sentTrial(api, path, body, subject.source, world)
  if (result === undefined) return EXIT.usage
  if (options.json) await write(world.stdout, `${jsonText(result)}\n`)
  else await showSimulation(result, world)
  return EXIT.done
}

async function showSimulation(result: JsonObject, world: World): Promise<void> {
  const nodes = result.nodes as unknown as readonly SimulatedNode[]
  const columns: readonly Column<SimulatedNode>[] = [
    { title: 'NODE', text: nameOf },
    { title: 'IN', align: 'right', text: ({ events_in: count }) => String(count) },
    { title: 'OUT', align: 'right', text: ({ events_out: count }) => String(count) },
    { title: 'DROPPED', align: 'right', text: ({ dropped }) => String(dropped.length) },
    { title: 'FAILED', align: 'right', text: ({ failed }) => String(failed.length) },
    { title: 'ERRORS', text: ({ errors }) => [...new Set(errors.map(({ code }) => code))].join(', ') },
  ]
  const lines = [
    `${String(result.tried)} of ${String(result.samples)} samples`,
    ...tableLines(columns, nodes, hasColours(world)),
  ]
  for (const node of nodes.filter(({ kind }) => kind === 'sink')) {
    const events = node.outputs.flatMap(output => output.events)
    lines.push('', `${nameOf(node)} would receive ${counted(events.length, 'event')}:`)
    for (const { event } of events.slice(0, EVENTS_SHOWN))
      lines.push(`  ${jsonText(event.message as JsonValue)}`)
    if (events.length > EVENTS_SHOWN)
      lines.push(`  … and ${grouped(events.length - EVENTS_SHOWN)} more: --json prints all.`)
  }
  await write(world.stdout, `${lines.map(printable).join('\n')}\n`)
}

function nameOf({ name, title, type }: Pick<SimulatedNode, 'name' | 'title' | 'type'>): string {
  return title ?? name ?? type
}

interface Counts {
  readonly events_in: number
  readonly events_out: number
  readonly dropped: number
  readonly failed: number
}

interface PreviewNode {
  readonly type: string
  readonly title: string | null
  readonly name?: string
  readonly deployed: Counts | null
  readonly draft: Counts | null
}

interface Preview extends JsonObject {
  id: string
  status: string
}

async function preview(
  wanted: string,
  options: TrialOptions & { readonly minutes: string },
  world: World,
): Promise<ExitCode> {
  const subject = await subjectOf(options, world)
  if (subject === undefined) return EXIT.usage
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/preview`
  const body = { ...subject.body, minutes: Number(options.minutes) }
  const begun = await sentTrial(api, path, body, subject.source, world)
  if (begun === undefined) return EXIT.usage
  const done = await finished(api, `${path}/${encodeURIComponent(String(begun.id))}`, begun as Preview, world)
  if (done.status !== 'done')
    throw new CommandError(
      EXIT.unreachable,
      `The preview ${done.status}: ${String(done.message ?? 'without a reason').replace(/\.$/, '')}.`,
    )
  const result = done.result as JsonObject
  if (options.json) await write(world.stdout, `${jsonText(done)}\n`)
  else await showPreview(done, result, world)
  return Number(result.differing) > 0 ? EXIT.partly : EXIT.done
}

/** Waits for the end of a preview; an interruption cancels it. */
async function finished(api: ApiClient, path: string, begun: Preview, world: World): Promise<Preview> {
  let present = begun
  while (present.status === 'waiting' || present.status === 'running') {
    await world.clock.sleep(LOOK_EVERY_MS, world.stop)
    if (world.stop.aborted) {
      await client({ ...world, stop: new AbortController().signal }).json(path, { method: 'DELETE' })
      throw new CommandError(EXIT.interrupted, 'Stopped: the preview is cancelled.')
    }
    present = ((await api.json(path)) as { data: Preview }).data
  }
  return present
}

async function showPreview(done: Preview, result: JsonObject, world: World): Promise<void> {
  const both =
    (member: keyof Counts) =>
    ({ deployed, draft }: PreviewNode) =>
      `${countText(deployed?.[member])} → ${countText(draft?.[member])}`
  const columns: readonly Column<PreviewNode>[] = [
    { title: 'NODE', text: nameOf },
    { title: 'IN', text: both('events_in') },
    { title: 'OUT', text: both('events_out') },
    { title: 'DROPPED', text: both('dropped') },
    { title: 'FAILED', text: both('failed') },
  ]
  const { lines } = done.progress as JsonObject
  await write(
    world.stdout,
    [
      `${String(done.from)} to ${String(done.to)}: ${String(lines)} lines, deployed → tried`,
      ...tableLines(columns, result.nodes as unknown as readonly PreviewNode[], hasColours(world)),
      '',
      Number(result.differing) === 0
        ? 'No line would be handled differently.'
        : `${counted(Number(result.differing), 'line')} would be handled differently.`,
      '',
    ].join('\n'),
  )
}

function countText(count: number | undefined): string {
  return count === undefined ? '-' : grouped(count)
}

interface TapOptions {
  readonly output?: string
  readonly limit: string
  readonly seconds: string
}

async function tap(
  wanted: string,
  node: string | undefined,
  { output, limit, seconds }: TapOptions,
  world: World,
): Promise<void> {
  const api = client(world)
  const pipeline = await pipelineId(api, wanted)
  const found = await nodeNamed(api, pipeline, node, {
    isMeant: ({ kind }) => kind !== 'sink',
    called: 'source or processor',
  })
  const path = `/v3/pipeline/${encodeURIComponent(pipeline)}/${found.kind}/${encodeURIComponent(found.node.id)}/tap`
  try {
    for await (const message of api.serverSentEvents(path, { query: { output, limit, seconds } }))
      await showMessage(message as JsonObject, world)
  } catch (error) {
    // An interruption is one of the usual ends.
    if (!world.stop.aborted) throw error
  }
}

async function showMessage(message: JsonObject, world: World): Promise<void> {
  if (message.type === 'event') return write(world.stdout, `${jsonText(message.event ?? message)}\n`)
  if (message.type === 'skipped') return note(world, `${String(message.count)} events were not shown.`)
  if (message.type === 'end') return note(world, `${String(message.message)}`)
  if (message.type === 'revision' && message.present === false)
    await note(world, 'The deployed revision does not have this node: publish the pipeline first.')
}

function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`
}
