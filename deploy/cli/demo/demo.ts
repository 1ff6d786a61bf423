import { Command, InvalidArgumentError } from 'commander'
import { MINUTE_MS, SECOND_MS } from '../../../engine/times/duration.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type Address, apiAddress, credentialsFile, ingestAddress, localCredentials } from '../connection.ts'
import { newSignInLink } from '../console.ts'
import { Delivery, Stopped } from '../ship/delivery.ts'
import { type World, write } from '../world.ts'
import { type DemoAccount, demoAccount, demoToken, publishDemoPipeline, removeDemo } from './demo-account.ts'
import { type DemoLine, linesOfSecond, PERIOD_MS } from './demo-lines.ts'

const RATE = { min: 1, max: 1_000, usual: 10 }
/** Time before the start whose lines a new account gets at least: two incidents. */
const PAST_MS = 2 * PERIOD_MS
/** Lines of the past in one request. */
const BATCH_LINES = 2_000
const RETRY_MS = 10 * MINUTE_MS

const HELP = `
The sample data is a shop of six services. Every 15 minutes its database is slow for five minutes: errors
rise, and one service becomes noisy. A pipeline throttles the noisy one. The data has an account of its
own, "Weir demo", so your lines and pipelines are not touched. A new account gets the last 30 to 45
minutes at once, which begin before an incident; then lines come until you stop the command.

It needs the enterprise access token of the first start, on the server's machine, or in
WEIR_ENTERPRISE_ACCESS_TOKEN.

Examples:
  weir demo
  weir demo --rate 100
  weir demo --remove`

interface Options {
  readonly rate: number
  readonly remove?: true
}

export function demoCommand(world: World): Command {
  return new Command('demo')
    .summary('send sample data to an account of its own')
    .description('Send sample data to an account of its own, until the command is stopped.')
    .option('--rate <lines>', `lines per second, ${RATE.min} to ${RATE.max}`, readRate, RATE.usual)
    .option('--remove', 'withdraw the pipelines of the account, revoke its credentials, and suspend it')
    .addHelpText('after', HELP)
    .action(async (options: Options) => (options.remove ? remove(world) : run(options, world)))
}

function readRate(text: string): number {
  const rate = Number(text)
  if (Number.isInteger(rate) && rate >= RATE.min && rate <= RATE.max) return rate
  throw new InvalidArgumentError(`It must be an integer from ${RATE.min} to ${RATE.max}.`)
}

async function remove(world: World): Promise<void> {
  const isRemoved = await removeDemo(enterpriseAddress(world), world)
  await write(
    world.stdout,
    isRemoved
      ? 'The account of the sample data is suspended, without pipelines and credentials. Its lines end with their retention.\n'
      : 'There is no account with sample data.\n',
  )
}

async function run({ rate }: Options, world: World): Promise<void> {
  const account = await demoAccount(enterpriseAddress(world), world)
  const sender = new DemoSender(account, world)
  try {
    let second = Math.floor(world.clock.wallMs() / SECOND_MS)
    if (account.isNew) await sendPast(sender, second, rate, world)
    await publishDemoPipeline(account, rate)
    await write(world.stdout, await greeting(account, rate, world))
    while (!world.stop.aborted) {
      const now = Math.floor(world.clock.wallMs() / SECOND_MS)
      // After a sleep of the machine the stream goes on now.
      if (now - second > PAST_MS / SECOND_MS) second = now
      for (; second < now; second++) await sender.send(linesOfSecond(second, rate))
      await world.clock.sleep(SECOND_MS, world.stop)
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  } finally {
    sender.close()
  }
  await write(
    world.stdout,
    `Stopped after ${sender.lines} lines. "weir demo" goes on; "weir demo --remove" ends it.\n`,
  )
}

/** Lines before the pipeline begins: the throttle does not judge them all at once. */
async function sendPast(sender: DemoSender, now: number, rate: number, world: World): Promise<void> {
  const start = startOfPast(now)
  const minutes = Math.round(((now - start) * SECOND_MS) / MINUTE_MS)
  await write(world.stderr, `The last ${minutes} minutes are sent ...\n`)
  let waiting: DemoLine[] = []
  for (let second = start; second < now; second++) {
    waiting.push(...linesOfSecond(second, rate))
    if (waiting.length < BATCH_LINES) continue
    await sender.send(waiting)
    waiting = []
  }
  await sender.send(waiting)
}

/**
 * First second of the past: a quiet stretch lies before the first incident, so its first error can be found.
 *
 * @param now UNIX time in seconds, as the result
 */
export function startOfPast(now: number): number {
  const latestMs = now * SECOND_MS - PAST_MS
  return (latestMs - (latestMs % PERIOD_MS)) / SECOND_MS
}

async function greeting(account: DemoAccount, rate: number, world: World): Promise<string> {
  const { url } = apiAddress(world)
  const token = await demoToken(account)
  // Without a server on this machine, or without links, the token signs in.
  const link = await newSignInLink(world, token).catch(() => undefined)
  const way =
    link === undefined
      ? [`  ${url}/console/`, '', 'with this access token, which is not shown again:', '', `  ${token}`]
      : [`  ${link}`, '', 'The link works once, within ten minutes, on this machine.']
  return [
    `Sample data goes to the account ${account.shortId} at ${rate} lines per second, and more during an incident. See it at`,
    '',
    ...way,
    '',
    'Stop with Ctrl+C.',
    '',
  ].join('\n')
}

/** @throws CommandError when no enterprise token is known */
function enterpriseAddress(world: World): Address {
  const { url } = apiAddress(world)
  const given = world.env.WEIR_ENTERPRISE_ACCESS_TOKEN
  if (given) return { url, secret: { value: given, origin: 'WEIR_ENTERPRISE_ACCESS_TOKEN' } }
  if (world.env.WEIR_URL)
    throw new CommandError(
      EXIT.usage,
      'Set WEIR_ENTERPRISE_ACCESS_TOKEN: the sample data gets an account of its own in the enterprise.',
    )
  const { enterpriseAccessToken } = localCredentials(world)
  return { url, secret: { value: enterpriseAccessToken, origin: credentialsFile(world) } }
}

/** Sends lines to the account, one request per machine that they come from. */
class DemoSender {
  /** Lines that were accepted. */
  lines = 0
  readonly #delivery: Delivery
  readonly #stream: string
  #requests = 0

  constructor({ ingestionKey }: DemoAccount, world: World) {
    const { url } = ingestAddress(world)
    const address = { url, secret: { value: ingestionKey, origin: 'the account of the sample data' } }
    this.#delivery = new Delivery({ address, world, retryForMs: RETRY_MS })
    this.#stream = `demo-${world.entropy.uuid()}`
  }

  async send(lines: readonly DemoLine[]): Promise<void> {
    for (const [host, own] of Map.groupBy(lines, line => line.host)) {
      const sent = own.map(({ host: _, ...line }) => line)
      const reply = await this.#delivery.send({
        body: JSON.stringify({ lines: sent }),
        lines: sent.length,
        idempotencyKey: `${this.#stream}/${this.#requests++}`,
        host,
        tags: 'demo',
      })
      if (reply.kind === 'taken') this.lines += sent.length - reply.refused
      else if ('sentence' in reply) throw new CommandError(EXIT.unreachable, reply.sentence)
    }
  }

  close(): void {
    this.#delivery.close()
  }
}
