import { Command } from 'commander'
import type { JsonObject } from '../../../schemas/json.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { isChosen, type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { mayDelete } from '../resources/resource-command.ts'
import { printable } from '../table.ts'
import { timesOf } from '../times/times.ts'
import { note, type World, write } from '../world.ts'
import { client, data, type Pipeline, pipelineId } from './pipeline-access.ts'

type Finish = (code: ExitCode) => void

/** Commands that create, rename and delete pipelines, and restore their revisions. */
export function manageCommands(world: World, finish: Finish): Command[] {
  return [
    withOutput(new Command('create'))
      .description(
        'Create an empty pipeline, and print its id. To create one from a file: weir pipeline apply FILE',
      )
      .argument('<title>', 'title of the pipeline')
      .action(async (title: string, options: OutputOptions) => create(title, options, world)),
    new Command('rename')
      .description('Give a pipeline another title.')
      .argument('<id>', 'id or title of the pipeline')
      .argument('<title>', 'new title')
      .action(async (id: string, title: string) => rename(id, title, world)),
    new Command('delete')
      .description('Delete a pipeline with its nodes and alerts; its deployment stops.')
      .argument('<id>', 'id or title of the pipeline')
      .option('--yes', 'delete without a question')
      .option('--dry-run', 'only say which pipeline it would delete')
      .action(async (id: string, options: DeleteOptions) => remove(id, options, world, finish)),
    watchable(withOutput(new Command('revisions')))
      .description('List the published revisions of a pipeline, the newest first.')
      .argument('<id>', 'id or title of the pipeline')
      .action(async (id: string, options: OutputOptions) => revisions(id, options, world)),
    new Command('restore')
      .description('Restore the nodes of a revision into the draft; "publish" deploys them.')
      .argument('<id>', 'id or title of the pipeline')
      .argument('<revision>', 'number of the revision')
      .action(async (id: string, revision: string) => restore(id, revision, world)),
  ]
}

interface DeleteOptions {
  readonly yes?: true
  readonly dryRun?: true
}

interface Revision extends JsonObject {
  number: number
  title: string
  created_at: string
  nodes: number
  deployed: boolean
}

async function create(title: string, options: OutputOptions, world: World): Promise<void> {
  const body = { title }
  const { data: pipeline } = (await client(world).json('/v3/pipeline', { method: 'POST', body })) as {
    data: Pipeline
  }
  if (isChosen(options)) return writeListing(CREATED, [pipeline], options, world)
  await note(world, `Created ${printable(pipeline.title)}. To see it: weir pipeline show ${pipeline.id}`)
  await write(world.stdout, `${pipeline.id}\n`)
}

const CREATED: Listing<Pipeline> = {
  columns: [
    { title: 'ID', text: ({ id }) => id },
    { title: 'TITLE', text: ({ title }) => title },
  ],
  rawFields: ['id'],
  none: '',
}

async function rename(wanted: string, title: string, world: World): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const { data: pipeline } = (await api.json(`/v3/pipeline/${encodeURIComponent(id)}`, {
    method: 'PUT',
    body: { title },
  })) as { data: Pipeline }
  await note(world, `The pipeline ${id} is now called ${printable(pipeline.title)}.`)
}

async function remove(
  wanted: string,
  { yes, dryRun }: DeleteOptions,
  world: World,
  finish: Finish,
): Promise<void> {
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}`
  const pipeline = (await data(api, path)) as Pipeline
  const name = `the pipeline ${printable(pipeline.title)} (${pipeline.id})`
  if (dryRun) return write(world.stdout, `Would delete ${name}.\n`)
  if (!(await mayDelete(name, yes, world))) return finish(EXIT.partly)
  await api.json(path, { method: 'DELETE' })
  await note(world, `Deleted ${name}.`)
}

async function revisions(wanted: string, options: OutputOptions, world: World): Promise<void> {
  const api = client(world)
  const id = await pipelineId(api, wanted)
  const found = (await data(api, `/v3/pipeline/${encodeURIComponent(id)}/revision`)) as Revision[]
  const times = await timesOf(world)
  const listing: Listing<Revision> = {
    columns: [
      { title: 'REVISION', align: 'right', text: ({ number }) => String(number) },
      { title: 'RUNS', text: ({ deployed }) => (deployed ? '*' : '') },
      { title: `PUBLISHED (${times.zone})`, text: ({ created_at: at }) => times.text(Date.parse(at)) },
      { title: 'NODES', align: 'right', text: ({ nodes }) => String(nodes) },
      { title: 'TITLE', text: ({ title }) => title },
      { title: 'ID', text: ({ id: each }) => String(each), wide: true },
    ],
    rawFields: ['number'],
    none: 'The pipeline has not been published yet.',
  }
  await writeListing(listing, found, options, world)
}

async function restore(wanted: string, revision: string, world: World): Promise<void> {
  if (!/^[1-9]\d{0,8}$/.test(revision))
    throw new CommandError(
      EXIT.usage,
      `"${revision}" is not the number of a revision; "weir pipeline revisions" lists them.`,
    )
  const api = client(world)
  const id = await pipelineId(api, wanted)
  await api.json(`/v3/pipeline/${encodeURIComponent(id)}/revision/${revision}/restore`, {
    method: 'POST',
    body: {},
  })
  await note(world, `The draft is that of revision ${revision}. To deploy it: weir pipeline publish ${id}`)
}
