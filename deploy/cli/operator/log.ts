import { Command, InvalidArgumentError, Option } from 'commander'
import { type AcceptLossTask, LOSABLE_TOPICS } from '../../operator/accept-loss-task.ts'
import { grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { dataFolder } from '../connection.ts'
import { type World, write } from '../world.ts'
import { assertDataFolder, runOperatorTask } from './operator-task.ts'

const EXAMPLES = `
Examples:
  weir verify                         which records are missing, as /readyz says, too
  weir log accept-loss --topic ingest --partition 0 --from 812 --to 911
  WEIR_DATA_DIR=/var/lib/weir weir log accept-loss --topic keyed --partition 3 --from 40 --to 41
  weir log accept-loss --topic config --partition 0 --from 42 --to 57`

const HELP = `
A log may end before what is known of it: after a disk that lost what it had confirmed, with a copy
that is not whole, or with log/ put back alone. Put the log back from where it is whole, if you can.
Otherwise this command accepts the loss. It takes the very numbers that were told, and no others.

ingest, keyed: ingestion into the partition answers 503, and /readyz and "weir verify" name the records
that are missing. What was stored of them stays. What was not stored is lost, and so is what pipelines
remembered of them: a throttle may let some more pass, a repeated request may be stored again. Every
line that is acknowledged afterwards is stored once. The server may run or not; with KAFKA_BROKERS the
command works on the cluster.

keyed: after a kill, lines that were stored from lost records may be stored once more, since partitions
of the lines send again what they sent since their newest checkpoints.

config: the start is refused. Stop every process of the installation first. Every change in the lost
events is lost: tokens and keys that were revoked or deleted there work again, and settings such as
retention and rules are as they were before, until you do it anew.

Older programs do not take the log any more.

Exit codes: 0 done, 2 not done.
${EXAMPLES}`

/** What those who accept a loss may find afterwards. */
const STORED_AGAIN: Readonly<Record<AcceptLossTask['topic'], string>> = {
  ingest: '',
  keyed: `Lines that were stored from the lost records may be stored once more: partitions of the lines send again what they sent
since their newest checkpoints, and nobody knows any more which of it had arrived.
`,
}

const TOPICS = [...LOSABLE_TOPICS, 'config'] as const

interface AcceptLossOptions extends Omit<AcceptLossTask, 'task' | 'topic'> {
  readonly topic: (typeof TOPICS)[number]
}

export function logCommand(world: World): Command {
  const accept = new Command('accept-loss')
    .summary('go on without records that the log has lost')
    .description('Go on without records at the end of a log that are known of and that it has lost.')
    .addOption(new Option('--topic <name>', 'the topic').choices(TOPICS).makeOptionMandatory())
    .requiredOption('--partition <number>', 'its partition', count)
    .requiredOption('--from <offset>', 'the first lost record, as it was told', count)
    .requiredOption('--to <offset>', 'the last lost record, as it was told', count)
    .addHelpText('after', HELP)
    .action(async ({ topic, ...place }: AcceptLossOptions) =>
      topic === 'config' ? acceptLossOfConfiguration(place, world) : acceptLoss({ topic, ...place }, world),
    )
  return new Command('log')
    .summary('accept that the log has lost records')
    .description('Go on with a log that has lost records.')
    .addHelpText('after', EXAMPLES)
    .addCommand(accept)
}

async function acceptLoss(options: Omit<AcceptLossTask, 'task'>, world: World): Promise<void> {
  const { topic, partition, from, to } = options
  let records: number | undefined
  await runOperatorTask({ task: 'accept-loss', topic, partition, from, to }, world, event => {
    if (event.type === 'loss-accepted') records = event.records
  })
  if (records === undefined) throw new CommandError(EXIT.usage, 'The command ended without a result.')
  const what = `${grouped(records)} ${records === 1 ? 'record' : 'records'}`
  await write(
    world.stdout,
    `The loss of ${what} is accepted: partition ${partition} of ${topic} goes on behind record ${to}.\n${STORED_AGAIN[topic]}`,
  )
}

async function acceptLossOfConfiguration(
  { partition, from, to }: Omit<AcceptLossOptions, 'topic'>,
  world: World,
): Promise<void> {
  if (partition !== 0)
    throw new CommandError(EXIT.usage, 'The configuration has one partition: --partition 0.')
  if (!world.env.KAFKA_BROKERS) assertDataFolder(dataFolder(world))
  // Loaded only here: the server's modules would make every client command slow to start.
  const operator = await import('../../operator/accept-configuration-loss.ts')
  const lost = { from: BigInt(from), to: BigInt(to) }
  const next = await operator.acceptLossOfConfiguration(world.env, lost).catch(error => {
    throw sentence(error)
  })
  await write(
    world.stdout,
    `The loss of ${from === to ? `event ${from}` : `events ${from} to ${to}`} of the configuration is accepted: it goes on with event ${next}.\n` +
      'Tokens, keys and members that were revoked or deleted there work again; what was created or set there (pipelines, rules,\n' +
      'retention) is gone or as it was before. Look through all of it ("weir token list", "weir retention", "weir pipeline list",\n' +
      '"weir audit --kind accepted-loss"), and do anew what must hold. Then start the service.\n',
  )
}

const NAMES = new Set([
  'ConfigurationLostError',
  'MarkUnreadableError',
  'SettingsError',
  'DataDirectoryError',
  'LogError',
  'StoreError',
  'SealError',
])

function sentence(error: unknown): unknown {
  if (!(error instanceof Error) || !NAMES.has(error.name)) return error
  const { message } = error
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`
  return new CommandError(EXIT.usage, text, { cause: error })
}

function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
