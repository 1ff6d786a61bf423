import { Command, InvalidArgumentError, Option } from 'commander'
import { type AcceptLossTask, LOSABLE_TOPICS } from '../../operator/accept-loss-task.ts'
import { grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { dataFolder } from '../connection.ts'
import { type World, write } from '../world.ts'
import { assertDataFolder, runOperatorTask } from './operator-task.ts'

const EXAMPLES = `
Examples:
  weir verify                         shows which records are missing, like /readyz
  weir log accept-loss --topic ingest --partition 0 --from 812 --to 911
  WEIR_DATA_DIR=/var/lib/weir weir log accept-loss --topic keyed --partition 3 --from 40 --to 41
  weir log accept-loss --topic outbox --partition 0 --from 77 --to 80
  weir log accept-loss --topic config --partition 0 --from 42 --to 57`

const HELP = `
A log can end before its known end: after a disk lost confirmed data, with an incomplete copy,
or when only log/ was restored. Restore the log from a complete copy if you can.
Otherwise this command accepts the loss. It accepts only the numbers that were reported.

ingest, keyed: nothing is appended to the partition, and /readyz and "weir verify" name the records
that are missing. Ingestion into a partition of ingest answers 503; for keyed, lines wait on the log.
Lines stored from the records remain. Lines not stored are lost, and so is the pipeline state that came
from them: a throttle may let more events pass, a repeated request may be stored again. Every line
acknowledged afterwards is stored once. The command works with a running or stopped server; with
KAFKA_BROKERS it works on the cluster.

The store can also be an older copy that lacks records which the log no longer has. /readyz names
these records, and this command continues without them. Later records are stored again.

keyed: after a kill, lines stored from lost records may be stored a second time, because partitions
of the lines send their records since the newest checkpoints again.

outbox: nothing is handed over to the partition, and nothing is sent from it. Events that waited in the
lost records are not delivered. Others may be delivered a second time.

config: the start is refused. Stop every process of the installation first. Every change in the lost
events is lost. Tokens and keys that were revoked or deleted there work again. Settings such as
retention and rules have their earlier values until you change them again.

Older programs refuse the log from then on.

Exit codes: 0 done, 2 not done.
${EXAMPLES}`

/** Consequences of an accepted loss. */
const STORED_AGAIN: Readonly<Record<AcceptLossTask['topic'], string>> = {
  ingest: '',
  keyed: `Lines stored from the lost records may be stored a second time: partitions of the lines send their records since the
newest checkpoints again, and it is unknown which of them had arrived.
`,
  outbox: `Events that waited for delivery in the lost records are not delivered. Some of the others may be delivered a second time: it is
unknown which of them had a report there.
`,
}

const TOPICS = [...LOSABLE_TOPICS, 'config'] as const

interface AcceptLossOptions extends Omit<AcceptLossTask, 'task' | 'topic'> {
  readonly topic: (typeof TOPICS)[number]
}

export function logCommand(world: World): Command {
  const accept = new Command('accept-loss')
    .summary('continue without records that the log has lost')
    .description('Continue without records at the end of a log that are known to be lost.')
    .addOption(new Option('--topic <name>', 'the topic').choices(TOPICS).makeOptionMandatory())
    .requiredOption('--partition <number>', 'its partition', count)
    .requiredOption('--from <offset>', 'first lost record, as reported', count)
    .requiredOption('--to <offset>', 'last lost record, as reported', count)
    .addHelpText('after', HELP)
    .action(async ({ topic, ...place }: AcceptLossOptions) =>
      topic === 'config' ? acceptLossOfConfiguration(place, world) : acceptLoss({ topic, ...place }, world),
    )
  return new Command('log')
    .summary('accept that the log has lost records')
    .description('Continue with a log that has lost records.')
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
    `The loss of ${what} is accepted: partition ${partition} of ${topic} continues after record ${to}.\n${STORED_AGAIN[topic]}`,
  )
}

async function acceptLossOfConfiguration(
  { partition, from, to }: Omit<AcceptLossOptions, 'topic'>,
  world: World,
): Promise<void> {
  if (partition !== 0)
    throw new CommandError(EXIT.usage, 'The configuration has one partition: --partition 0.')
  if (!world.env.KAFKA_BROKERS) assertDataFolder(dataFolder(world))
  // Loaded on demand: the server's modules would slow down every client command.
  const operator = await import('../../operator/accept-configuration-loss.ts')
  const lost = { from: BigInt(from), to: BigInt(to) }
  const next = await operator.acceptLossOfConfiguration(world.env, lost).catch(error => {
    throw sentence(error)
  })
  await write(
    world.stdout,
    `The loss of ${from === to ? `event ${from}` : `events ${from} to ${to}`} of the configuration is accepted: it continues with event ${next}.\n` +
      'Tokens, keys and members that were revoked or deleted there work again. Objects created there are gone, and settings (pipelines, rules,\n' +
      'retention) have their earlier values. Check all of them ("weir token list", "weir retention", "weir pipeline list",\n' +
      '"weir audit --kind accepted-loss"), and repeat the changes that you need. Then start the service.\n',
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
