import { styleText } from 'node:util'
import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { ExitCode } from '../command-error.ts'
import { isChosen, type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { printable, tableLines } from '../table.ts'
import { hasColours, type World, write } from '../world.ts'
import {
  client,
  data,
  type Pipeline,
  pipelineId,
  publicationSentence,
  publishPipeline,
} from './pipeline-access.ts'
import { deadLetterCommands } from './pipeline-dead-letters.ts'
import { pipelineErrorsCommand } from './pipeline-errors.ts'
import { pipelineFileCommands } from './pipeline-file.ts'
import { manageCommands } from './pipeline-manage.ts'
import {
  inFlowOrder,
  inputsOf,
  KINDS,
  type ListedNode,
  listedNodes,
  type Node,
  outputNames,
} from './pipeline-nodes.ts'
import { pauseCommands } from './pipeline-pause.ts'
import { pipelineProfileCommand } from './pipeline-profile.ts'
import { pipelineStateCommand } from './pipeline-state.ts'
import { throttleCommands } from './pipeline-throttle.ts'
import { trialCommands } from './pipeline-trials.ts'
import { pipelineWatchCommand } from './pipeline-watch.ts'

const HELP = `
Examples:
  weir pipeline list
  weir pipeline show 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11
  weir pipeline publish 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11
  weir pipeline pause Shop            asks first if lines would be stored unfiltered
  weir pipeline simulate Shop x.json  what becomes of samples
  weir pipeline preview Shop          what its draft would change
  weir pipeline tap Shop filter       events as they leave a node
  weir pipeline errors Shop           errors of its nodes
  weir pipeline dead-letters Shop     events that failed
  weir pipeline watch Shop            events of its nodes and edges
  weir pipeline profile Shop          profile that its data-profiler has built
  weir pipeline state Shop incident   state that its scripts read
  weir pipeline export Shop > shop.yaml
  weir pipeline test shop.yaml        run the tests in the file, without a server
  weir pipeline apply shop.yaml --publish`

interface JsonOption {
  readonly json?: true
}

export function pipelineCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = new Command('pipeline')
    .summary('list, create, try, publish, pause and apply pipelines')
    .description('Create, show, try, publish and pause pipelines, and manage them as files.')
    .addHelpText('after', HELP)
  watchable(withOutput(command.command('list'), 'print them as a JSON array'))
    .description('List the pipelines of the account.')
    .action(async (options: OutputOptions) => list(options, world))
  watchable(withOutput(command.command('show'), 'print the pipeline and its nodes as one JSON object'))
    .description('Show the nodes of a pipeline and how they connect.')
    .argument('<id>', 'id or title of the pipeline')
    .action(async (id: string, options: OutputOptions) => show(id, options, world))
  command
    .command('publish')
    .description('Publish the current nodes of a pipeline.')
    .argument('<id>', 'id of the pipeline')
    .option('--allow-unconnected', 'publish although some nodes have no inputs or outputs')
    .option('--json', 'print the pipeline as a JSON object')
    .action(async (id: string, options: JsonOption & { allowUnconnected?: true }) =>
      publish(id, options, world),
    )
  for (const each of manageCommands(world, finish)) command.addCommand(each)
  for (const each of pauseCommands(world, finish)) command.addCommand(each)
  for (const each of trialCommands(world, finish)) command.addCommand(each)
  command.addCommand(pipelineErrorsCommand(world))
  for (const each of deadLetterCommands(world)) command.addCommand(each)
  for (const each of throttleCommands(world)) command.addCommand(each)
  command.addCommand(pipelineWatchCommand(world))
  command.addCommand(pipelineProfileCommand(world))
  command.addCommand(pipelineStateCommand(world))
  for (const each of pipelineFileCommands(world, finish)) command.addCommand(each)
  return command
}

async function list(options: OutputOptions, world: World): Promise<void> {
  const pipelines = (await data(client(world), '/v3/pipeline')) as Pipeline[]
  if (options.json) return write(world.stdout, `${jsonText(pipelines)}\n`)
  await writeListing(PIPELINES, pipelines, options, world)
}

const PIPELINES: Listing<Pipeline> = {
  columns: [
    { title: 'ID', text: pipeline => pipeline.id },
    { title: 'TITLE', text: pipeline => pipeline.title },
    { title: 'STATE', text: state },
    { title: 'PUBLISHED', text: pipeline => String(pipeline.published_at ?? '-') },
    { title: 'CREATED', text: pipeline => String(pipeline.created_at ?? '-'), wide: true },
    { title: 'CHANGED', text: pipeline => String(pipeline.updated_at ?? '-'), wide: true },
  ],
  rawFields: ['id'],
  none: 'There are no pipelines yet.',
}

function state(pipeline: Pipeline): string {
  if (pipeline.processing_status && pipeline.processing_status !== 'enabled') {
    const { processing_status: status, pause_mode: mode } = pipeline
    return typeof mode === 'string' && mode !== 'store' ? `${status} (${mode})` : String(status)
  }
  if (!pipeline.published_at) return 'draft'
  return pipeline.has_changes ? 'runs, with changes to publish' : 'runs'
}

async function show(wanted: string, options: OutputOptions, world: World): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const pipeline = (await data(api, `/v3/pipeline/${encodeURIComponent(id)}`)) as Pipeline
  const nodes = await listedNodes(api, id)
  if (options.json) {
    const members = Object.fromEntries(
      KINDS.map(kind => [`${kind}s`, nodes.filter(one => one.kind === kind).map(one => one.node)]),
    )
    return write(world.stdout, `${jsonText({ pipeline, ...members })}\n`)
  }
  if (isChosen(options))
    return writeListing(nodeListing(nodes), inFlowOrder(nodes).map(nodeRow), options, world)
  const heading = `${printable(pipeline.title)}  (${state(pipeline)})`
  const lines = [
    hasColours(world) ? styleText('bold', heading, { validateStream: false }) : heading,
    `id ${pipeline.id}, published ${String(pipeline.published_at ?? 'never')}`,
    '',
    ...(nodes.length === 0 ? ['It has no nodes yet.'] : nodeLines(nodes, hasColours(world))),
  ]
  await write(world.stdout, `${lines.join('\n')}\n`)
}

const OPTIONS_SHOWN = 80

/** One row per node, in the order of the flow. */
function nodeLines(nodes: readonly ListedNode[], withColours: boolean): string[] {
  return tableLines(nodeListing(nodes).columns, inFlowOrder(nodes).map(nodeRow), withColours)
}

type NodeRow = Node & { readonly kind: ListedNode['kind'] }

function nodeRow({ kind, node }: ListedNode): NodeRow {
  return { kind, ...node }
}

/** FROM names the nodes, and where there are several, the outputs. */
function nodeListing(nodes: readonly ListedNode[]): Listing<NodeRow> {
  const names = outputNames(nodes)
  return {
    columns: [
      { title: 'NODE', text: ({ id }) => names.get(id) ?? id },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'TYPE', text: ({ type }) => type },
      {
        title: 'FROM',
        text: node =>
          inputsOf(node)
            .map(input => names.get(input) ?? input)
            .join(', ') || '-',
      },
      { title: 'OPTIONS', text: ({ user_config: config }) => shortened(jsonText(config)) },
      { title: 'ID', text: ({ id }) => id },
    ],
    rawFields: ['id'],
    none: 'It has no nodes yet.',
  }
}

function shortened(text: string): string {
  return text.length <= OPTIONS_SHOWN ? text : `${text.slice(0, OPTIONS_SHOWN - 1)}…`
}

async function publish(
  wanted: string,
  options: JsonOption & { allowUnconnected?: true },
  world: World,
): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const { pipeline, changed } = await publishPipeline(api, id, options.allowUnconnected ?? false)
  if (options.json) return write(world.stdout, `${jsonText({ changed, pipeline })}\n`)
  await write(world.stdout, `${printable(publicationSentence({ pipeline, changed }))}\n`)
}
