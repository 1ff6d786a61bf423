import { Command, InvalidArgumentError, Option } from 'commander'
import { CommandError, EXIT } from './command-error.ts'
import { dataFolder } from './connection.ts'
import { assertDataFolder } from './operator-task.ts'
import { type World, write } from './world.ts'

const HELP = `
A start is refused when the end of the log is missing that is known to have been there: it says which
offsets, and prints this command with them. Put the log back from where it is whole, if you can. Only
if you cannot, stop every process of the installation and accept the loss, with these very numbers.

What was lost stays lost. Of the configuration that is every change in it: tokens and keys that were
revoked or deleted there work again until you do it anew.

Exit codes: 0 done, 2 not done.

Examples:
  weir log accept-loss --topic config --partition 0 --from 42 --to 57`

const TOPICS = ['config'] as const

interface AcceptLossOptions {
  readonly topic: (typeof TOPICS)[number]
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

export function logCommand(world: World): Command {
  const accept = new Command('accept-loss')
    .summary('go on without records that the log has lost')
    .description('Go on without records that the log has lost.')
    .addOption(new Option('--topic <topic>', 'what the log lost').choices(TOPICS).makeOptionMandatory())
    .requiredOption('--partition <number>', 'its partition, as printed', partitionNumber)
    .requiredOption('--from <offset>', 'first offset that is missing, as printed', offset)
    .requiredOption('--to <offset>', 'last offset that is missing, as printed', offset)
    .addHelpText('after', HELP)
    .action(async (options: AcceptLossOptions) => acceptLoss(options, world))
  return new Command('log')
    .summary('go on after the log has lost its end')
    .description('What an operator can do about the log.')
    .addCommand(accept)
}

async function acceptLoss({ topic, partition, from, to }: AcceptLossOptions, world: World): Promise<void> {
  switch (topic) {
    case 'config':
      if (partition !== 0)
        throw new CommandError(EXIT.usage, 'The configuration has one partition: --partition 0.')
      return acceptLossOfConfiguration(from, to, world)
  }
}

async function acceptLossOfConfiguration(from: bigint, to: bigint, world: World): Promise<void> {
  if (!world.env.KAFKA_BROKERS) assertDataFolder(dataFolder(world))
  // Loaded only here: the server's modules would make every client command slow to start.
  const operator = await import('../operator/accept-configuration-loss.ts')
  const next = await operator.acceptLossOfConfiguration(world.env, { from, to }).catch(error => {
    throw sentence(error)
  })
  await write(
    world.stdout,
    `The loss of events ${from} to ${to} of the configuration is accepted: it goes on with event ${next}.\n` +
      'Tokens, keys and members that were revoked or deleted in them work again, and what was created in them is gone. Look\n' +
      'through them ("weir token list", "weir audit --kind accepted-loss"), and do anew what must hold. Then start the service.\n',
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
  return new CommandError(
    EXIT.usage,
    `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`,
    {
      cause: error,
    },
  )
}

function partitionNumber(text: string): number {
  return Number(offset(text))
}

function offset(text: string): bigint {
  if (!/^\d{1,13}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return BigInt(text)
}
