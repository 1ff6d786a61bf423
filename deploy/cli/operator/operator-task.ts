import { accessSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { OperatorEvent, OperatorTask } from '../../operator/operator-task.ts'
import { type SocketAddress, socketAddress } from '../../operator/socket-address.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { dataFolder } from '../connection.ts'
import type { World } from '../world.ts'

type Report = (event: OperatorEvent) => void

/** With which a task has come to its end. */
const LAST_EVENTS: ReadonlySet<OperatorEvent['type']> = new Set(['verified', 'backed-up', 'loss-accepted'])
/** Nobody listens: the server does not run, or was killed. */
const NOBODY_THERE = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * Has a task done on this machine's installation: by the server where one is at work, since log and store belong to
 * one process; by this one otherwise.
 *
 * @throws CommandError with exit code 2 when it could not be done
 */
export async function runOperatorTask(task: OperatorTask, world: World, report: Report): Promise<void> {
  if (world.env.KAFKA_BROKERS) return runOnCluster(task, world, report)
  const folder = dataFolder(world)
  assertDataFolder(folder)
  const failed = (event: OperatorEvent) => {
    if (event.type === 'failed') throw failure(event.message, world)
    report(event)
  }
  if (!(await askServer(folder, task, world, failed))) await runHere(task, world, failed)
}

/** Of a cluster every process sees log and store. */
async function runOnCluster(task: OperatorTask, world: World, report: Report): Promise<void> {
  if (task.task === 'backup')
    throw new CommandError(
      EXIT.usage,
      'The log is on Kafka and the store is a server (KAFKA_BROKERS, CLICKHOUSE_URL): back them up with their own tools.',
    )
  try {
    if (task.task === 'accept-loss') {
      const { acceptClusterLoss } = await import('../../operator/accept-cluster-loss.ts')
      report({ type: 'loss-accepted', records: await acceptClusterLoss(world.env, task) })
      return
    }
    const { verifyCluster } = await import('../../cluster/verify-cluster.ts')
    report({ type: 'verified', report: await verifyCluster(world.env, { signal: world.stop, report }) })
  } catch (error) {
    throw failure((error as Error).message, world, error)
  }
}

/** @throws CommandError when there is none, or another user has it */
export function assertDataFolder(folder: string): void {
  try {
    accessSync(join(folder, 'format.json'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw notTheServersUser(folder, cause)
    throw new CommandError(
      EXIT.usage,
      `There is no data folder in ${folder}. Set WEIR_DATA_DIR to the one that the server uses.`,
      { cause },
    )
  }
}

function notTheServersUser(path: string, cause: unknown): CommandError {
  return new CommandError(
    EXIT.usage,
    `${path} may be used by the user that runs the server only: be that user.`,
    {
      cause,
    },
  )
}

/** @returns false when no server is at work */
async function askServer(folder: string, task: OperatorTask, world: World, report: Report): Promise<boolean> {
  const address = socketAddress(folder)
  if (address === undefined) return false
  try {
    await ask(address, task, world, report)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (NOBODY_THERE.has(code ?? '')) return false
    if (code === 'EACCES' || code === 'EPERM') throw notTheServersUser(address.path, error)
    if (error instanceof CommandError) throw error
    throw failure(`the server has gone meanwhile (${(error as Error).message})`, world)
  } finally {
    address.release()
  }
}

async function ask(
  { address }: SocketAddress,
  task: OperatorTask,
  world: World,
  report: Report,
): Promise<void> {
  const { task: name, ...body } = task
  const outgoing = request({ socketPath: address, path: `/${name}`, method: 'POST', signal: world.stop })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
  let hasEnded = false
  for await (const line of createInterface({ input: response })) {
    if (response.statusCode !== 200) throw failure((JSON.parse(line) as { message: string }).message, world)
    const event = JSON.parse(line) as OperatorEvent
    hasEnded = LAST_EVENTS.has(event.type)
    report(event)
  }
  if (!hasEnded) throw new Error('its answer has no end')
}

async function runHere(task: OperatorTask, world: World, report: Report): Promise<void> {
  // Loaded only here: the server's modules would make every client command slow to start.
  const { openStopped } = await import('../../operator/stopped-installation.ts')
  const installation = await openStopped(world.env, task).catch(error => {
    throw failure((error as Error).message, world, error)
  })
  try {
    await installation.run(world.stop, report)
  } finally {
    await installation.close()
  }
}

function failure(message: string, world: World, cause?: unknown): CommandError {
  if (world.stop.aborted) return new CommandError(EXIT.interrupted, 'Ended before all was done.')
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`
  return new CommandError(EXIT.usage, sentence, { cause })
}
