import { hostname, userInfo } from 'node:os'
import { Argument, Command, InvalidArgumentError } from 'commander'
import type { Quarantine } from '../../../engine/configuration/kinds/quarantine.ts'
import type { QuarantineTask } from '../../operator/quarantine-task.ts'
import { QUARANTINE_TOPICS } from '../../operator/quarantine-task.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { isChosen, type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { type World, write, writeLines } from '../world.ts'
import { runOperatorTask } from './operator-task.ts'

const HELP = `
A node must never fail to come to an end with an event. If one does, the server stands still. After 60
seconds it ends itself, and its output names the record and the node. Each start then stands still at the
same place. This command makes the events of that record fail at that node. Everything else of the record
is processed as before, and the failed events become dead letters if the pipeline keeps them.

The command works with a running or stopped server; with KAFKA_BROKERS it works on the cluster. It refuses
a record that was processed already. It cannot be taken back. Older programs refuse the log from then on.
--list shows the records in quarantine, with time and author.

Exit codes: 0 done, 2 not done.

Examples:
  weir quarantine ingest/0/812 f0f4a1b2-7c1e-11f0-9d5a-5f3b8e2a7c11
  weir quarantine --list
  WEIR_DATA_DIR=/var/lib/weir weir quarantine keyed/3/40 f0f4a1b2-7c1e-11f0-9d5a-5f3b8e2a7c11`

type Place = Pick<QuarantineTask, 'topic' | 'partition' | 'offset'>

interface Options extends OutputOptions {
  readonly list?: true
}

export function quarantineCommand(world: World): Command {
  return withOutput(new Command('quarantine'), 'print each of the list as a JSON object')
    .summary('make the events of a record fail at a node that does not end')
    .description(
      'Make the events of one record of the log fail at one node, or list the records in quarantine.',
    )
    .addArgument(
      new Argument('[topic/partition/offset]', 'the record, as the log output names it').argParser(place),
    )
    .argument('[node]', 'id of the node, as the log output names it')
    .option('--list', 'list the records in quarantine, the newest first')
    .addHelpText('after', HELP)
    .action(async (record: Place | undefined, node: string | undefined, options: Options) => {
      const { list, json } = options
      if (list !== undefined && record === undefined) return listAll(options, world)
      if (list !== undefined || json !== undefined || isChosen(options))
        throw new CommandError(EXIT.usage, 'Name a record and a node, or give --list alone.')
      if (record === undefined || node === undefined)
        throw new CommandError(EXIT.usage, 'Name a record and a node, or list them with --list.')
      await quarantine({ task: 'quarantine', ...record, node, by: operator() }, world)
    })
}

async function quarantine(task: QuarantineTask, world: World): Promise<void> {
  let isKnownNode: boolean | undefined
  await runOperatorTask(task, world, event => {
    if (event.type === 'quarantined') isKnownNode = event.isKnownNode
  })
  if (isKnownNode === undefined) throw new CommandError(EXIT.usage, 'The command ended without a result.')
  const { topic, partition, offset, node } = task
  const unknown = isKnownNode
    ? ''
    : `No kept revision of a pipeline of the account has a node ${node}: check the id.\n`
  await write(
    world.stdout,
    `Record ${offset} of partition ${partition} of ${topic} is in quarantine: its events fail at node ${node}.\n${unknown}`,
  )
}

const QUARANTINES: Listing<ReturnType<typeof listed>> = {
  columns: [
    { title: 'RECORD', text: ({ topic, partition, offset }) => `${topic}/${partition}/${offset}` },
    { title: 'NODE', text: ({ node }) => node },
    { title: 'ACCOUNT', text: ({ account }) => account },
    { title: 'SINCE (UTC)', text: ({ since }) => since },
    { title: 'BY', text: ({ by }) => by },
    { title: 'STATE', text: ({ complete }) => (complete ? 'complete' : 'begun: run the command again') },
  ],
  rawFields: ['topic', 'partition', 'offset', 'node'],
  none: 'No record is in quarantine.',
}

async function listAll(options: OutputOptions, world: World): Promise<void> {
  let all: readonly Quarantine[] = []
  await runOperatorTask({ task: 'quarantines' }, world, event => {
    if (event.type === 'quarantines') all = event.quarantines
  })
  const rows = all.map(listed)
  if (options.json)
    return writeLines(
      world.stdout,
      rows.map(row => JSON.stringify(row)),
    )
  await writeListing(QUARANTINES, rows, options, world)
}

function listed({ sinceMs, isComplete, ...rest }: Quarantine) {
  return { ...rest, since: new Date(sinceMs).toISOString(), complete: isComplete }
}

/** Name of the person who runs the command, as far as the machine knows it. */
function operator(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // The user of a container may have no name.
    return `operator@${hostname()}`
  }
}

function place(text: string): Place {
  const [, name, partition, offset] = /^(?:weir\.)?([a-z]+)\/(\d{1,9})\/(\d{1,15})$/.exec(text) ?? []
  const topic = QUARANTINE_TOPICS.find(each => each === name)
  if (topic === undefined)
    throw new InvalidArgumentError('It must name topic, partition and offset, such as ingest/0/812.')
  return { topic, partition: Number(partition), offset: Number(offset) }
}
