import { styleText } from 'node:util'
import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { type ApiClient, ApiRefusal } from '../api-client.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { type Column, printable, tableLines } from '../table.ts'
import { type World, write } from '../world.ts'
import {
  client,
  data,
  type Pipeline,
  pipelineId,
  publicationSentence,
  publishPipeline,
} from './pipeline-access.ts'
import { pipelineErrorsCommand } from './pipeline-errors.ts'
import { pipelineFileCommands } from './pipeline-file.ts'
import { pauseCommands } from './pipeline-pause.ts'

const HELP = `
Examples:
  weir pipeline list
  weir pipeline show 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11
  weir pipeline publish 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11
  weir pipeline pause Shop            asks first if lines would be stored unfiltered
  weir pipeline errors Shop           errors of its nodes
  weir pipeline export Shop > shop.yaml
  weir pipeline test shop.yaml        run the tests in the file, without a server
  weir pipeline apply shop.yaml --publish`

interface JsonOption {
  readonly json?: true
}

export function pipelineCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = new Command('pipeline')
    .summary('list, show, publish, pause, test and apply pipelines')
    .description('List, show, publish and pause pipelines, and manage them as files.')
    .addHelpText('after', HELP)
  command
    .command('list')
    .description('List the pipelines of the account.')
    .option('--json', 'print them as a JSON array')
    .action(async (options: JsonOption) => list(options, world))
  command
    .command('show')
    .description('Show the nodes of a pipeline and how they connect.')
    .argument('<id>', 'id of the pipeline')
    .option('--json', 'print the pipeline and its nodes as one JSON object')
    .action(async (id: string, options: JsonOption) => show(id, options, world))
  command
    .command('publish')
    .description('Publish the current nodes of a pipeline.')
    .argument('<id>', 'id of the pipeline')
    .option('--allow-unconnected', 'publish although some nodes have no inputs or outputs')
    .option('--json', 'print the pipeline as a JSON object')
    .action(async (id: string, options: JsonOption & { allowUnconnected?: true }) =>
      publish(id, options, world),
    )
  for (const each of pauseCommands(world, finish)) command.addCommand(each)
  command.addCommand(pipelineErrorsCommand(world))
  for (const each of pipelineFileCommands(world, finish)) command.addCommand(each)
  return command
}

async function list(options: JsonOption, world: World): Promise<void> {
  const pipelines = (await data(client(world), '/v3/pipeline')) as Pipeline[]
  if (options.json) return write(world.stdout, `${jsonText(pipelines)}\n`)
  if (pipelines.length === 0) return write(world.stdout, 'There are no pipelines yet.\n')
  const columns: Column<Pipeline>[] = [
    { title: 'ID', text: pipeline => pipeline.id },
    { title: 'TITLE', text: pipeline => pipeline.title },
    { title: 'STATE', text: state },
    { title: 'PUBLISHED', text: pipeline => String(pipeline.published_at ?? '-') },
  ]
  await write(world.stdout, `${tableLines(columns, pipelines, colours(world)).join('\n')}\n`)
}

function state(pipeline: Pipeline): string {
  if (pipeline.processing_status && pipeline.processing_status !== 'enabled') {
    return String(pipeline.processing_status)
  }
  if (!pipeline.published_at) return 'draft'
  return pipeline.has_changes ? 'runs, with changes to publish' : 'runs'
}

const KINDS = ['source', 'transform', 'sink'] as const

interface Node extends JsonObject {
  id: string
  type: string
  user_config: JsonObject
}

interface ListedNode {
  readonly kind: (typeof KINDS)[number]
  readonly node: Node
}

async function show(wanted: string, options: JsonOption, world: World): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const pipeline = (await data(api, `/v3/pipeline/${encodeURIComponent(id)}`)) as Pipeline
  const nodes: ListedNode[] = []
  for (const kind of KINDS) {
    const found = await nodesOf(api, id, kind)
    for (const node of found) nodes.push({ kind, node })
  }
  if (options.json) {
    const members = Object.fromEntries(
      KINDS.map(kind => [`${kind}s`, nodes.filter(one => one.kind === kind).map(one => one.node)]),
    )
    return write(world.stdout, `${jsonText({ pipeline, ...members })}\n`)
  }
  const heading = `${printable(pipeline.title)}  (${state(pipeline)})`
  const lines = [
    colours(world) ? styleText('bold', heading, { validateStream: false }) : heading,
    `id ${pipeline.id}, published ${String(pipeline.published_at ?? 'never')}`,
    '',
    ...(nodes.length === 0 ? ['It has no nodes yet.'] : nodeLines(nodes, colours(world))),
  ]
  await write(world.stdout, `${lines.join('\n')}\n`)
}

/** Lists of nodes are an addition of this service: other servers of this contract only return single nodes. */
async function nodesOf(api: ApiClient, pipeline: string, kind: ListedNode['kind']): Promise<Node[]> {
  try {
    return (await data(api, `/v3/pipeline/${encodeURIComponent(pipeline)}/${kind}`)) as Node[]
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 405) throw error
    throw new CommandError(EXIT.usage, 'This server does not list the nodes of a pipeline.', { cause: error })
  }
}

const OPTIONS_SHOWN = 80

/** One row per node, in the order of the flow; FROM names the nodes, and where there are several, the outputs. */
function nodeLines(nodes: readonly ListedNode[], withColours: boolean): string[] {
  const names = outputNames(nodes)
  const columns: Column<ListedNode>[] = [
    { title: 'NODE', text: ({ node }) => names.get(node.id) ?? node.id },
    { title: 'KIND', text: ({ kind }) => kind },
    { title: 'TYPE', text: ({ node }) => node.type },
    {
      title: 'FROM',
      text: ({ node }) =>
        inputsOf(node)
          .map(input => names.get(input) ?? input)
          .join(', ') || '-',
    },
    { title: 'OPTIONS', text: ({ node }) => shortened(jsonText(node.user_config)) },
    { title: 'ID', text: ({ node }) => node.id },
  ]
  return tableLines(columns, inFlowOrder(nodes), withColours)
}

function shortened(text: string): string {
  return text.length <= OPTIONS_SHOWN ? text : `${text.slice(0, OPTIONS_SHOWN - 1)}…`
}

function inputsOf(node: Node): string[] {
  return Array.isArray(node.inputs) ? node.inputs.map(String) : []
}

/** Maps ids of nodes and outputs to names for people: the title, else the type, made unique. */
function outputNames(nodes: readonly ListedNode[]): Map<string, string> {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  for (const { node } of nodes) {
    const base = typeof node.title === 'string' ? node.title : node.type
    const use = (uses.get(base) ?? 0) + 1
    uses.set(base, use)
    const name = use === 1 ? base : `${base} (${use})`
    names.set(node.id, name)
    for (const output of Array.isArray(node.outputs) ? (node.outputs as JsonObject[]) : []) {
      if (output.id !== node.id) names.set(String(output.id), `${name} → ${String(output.label)}`)
    }
  }
  return names
}

/** Every node after the nodes that it reads from; nodes of a cycle come last. */
function inFlowOrder(nodes: readonly ListedNode[]): ListedNode[] {
  const waiting = [...nodes]
  const placed = new Set<string>()
  const known = new Set(nodes.map(({ node }) => node.id))
  const ordered: ListedNode[] = []
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ node }) =>
      inputsOf(node)
        .map(input => input.split('.')[0] as string)
        .every(input => placed.has(input) || !known.has(input)),
    )
    const [next] = waiting.splice(Math.max(ready, 0), 1) as [ListedNode]
    placed.add(next.node.id)
    ordered.push(next)
  }
  return ordered
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

function colours(world: World): boolean {
  return world.stdout.isTTY === true && !world.env.NO_COLOR
}
