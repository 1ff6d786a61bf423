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

/** Final events of tasks. */
const LAST_EVENTS: ReadonlySet<OperatorEvent['type']> = new Set([
  'verified',
  'backed-up',
  'loss-accepted',
  'quarantined',
  'quarantines',
])
/** Errors of a socket without a server: it is not running, or was killed. */
const NOBODY_THERE = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * Runs a task on this machine's installation. A running server does it, because log and store belong to one process;
 * otherwise this process does.
 *
 * @throws CommandError with exit code 2 when the task could not be done
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

/** Runs a task in a cluster, where every process has access to log and store. */
async function runOnCluster(task: OperatorTask, world: World, report: Report): Promise<void> {
  if (task.task === 'backup')
    throw new CommandError(
      EXIT.usage,
      'The log is on Kafka, and the store is a server (KAFKA_BROKERS, CLICKHOUSE_URL): back them up with their own tools.',
    )
  try {
    if (task.task === 'accept-loss') {
      const { acceptClusterLoss } = await import('../../operator/accept-cluster-loss.ts')
      report({ type: 'loss-accepted', records: await acceptClusterLoss(world.env, task) })
      return
    }
    if (task.task === 'quarantine') {
      const { quarantineInCluster } = await import('../../operator/quarantine-cluster.ts')
      report({ type: 'quarantined', isKnownNode: await quarantineInCluster(world.env, task) })
      return
    }
    if (task.task === 'quarantines') {
      const { quarantinesOfCluster } = await import('../../operator/quarantine-cluster.ts')
      report({ type: 'quarantines', quarantines: await quarantinesOfCluster(world.env) })
      return
    }
    const { verifyCluster } = await import('../../cluster/verify-cluster.ts')
    report({ type: 'verified', report: await verifyCluster(world.env, { signal: world.stop, report }) })
  } catch (error) {
    throw failure((error as Error).message, world, error)
  }
}

/** @throws CommandError when the folder does not exist, or belongs to another user */
export function assertDataFolder(folder: string): void {
  try {
    accessSync(join(folder, 'format.json'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw notTheServersUser(folder, cause)
    throw new CommandError(
      EXIT.usage,
      `${folder} is not a data folder. Set WEIR_DATA_DIR to the folder that the server uses.`,
      { cause },
    )
  }
}

function notTheServersUser(path: string, cause: unknown): CommandError {
  return new CommandError(
    EXIT.usage,
    `${path} can only be used by the user that runs the server: run the command as that user.`,
    {
      cause,
    },
  )
}

/** @returns false without a running server */
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
    throw failure(`the server stopped in the meantime (${(error as Error).message})`, world)
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
  if (!hasEnded) throw new Error('its answer is incomplete')
}

async function runHere(task: OperatorTask, world: World, report: Report): Promise<void> {
  // Loaded on demand: the server's modules would slow down every client command.
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
  if (world.stop.aborted) return new CommandError(EXIT.interrupted, 'Interrupted before the end.')
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`
  return new CommandError(EXIT.usage, sentence, { cause })
}
