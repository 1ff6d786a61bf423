import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { GenericContainer, Wait } from 'testcontainers'
import { type Child, startChild } from './child.ts'

/** Address of a ClickHouse server, for tests that need one. */
export interface ClickHouseServer {
  readonly url: string
  readonly username: string
  readonly password: string
  stop(): Promise<void>
}

const SERVER_IMAGE = process.env.WEIR_TEST_CLICKHOUSE_IMAGE ?? 'clickhouse/clickhouse-server:26.7'
const HTTP_PORT = 8123

/** A real server that this machine can offer: its name and how to get it; undefined when there is none. */
export function serverAtHand(): { name: string; start: () => Promise<ClickHouseServer> } | undefined {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = process.env
  if (url !== undefined) {
    const server = { url, username: username ?? 'default', password: password ?? '', stop: async () => {} }
    return { name: 'the server of CLICKHOUSE_URL', start: async () => server }
  }
  if (spawnSync('docker', ['info']).status === 0)
    return { name: 'a server in a container', start: startContainer }
  return undefined
}

async function startContainer(): Promise<ClickHouseServer> {
  const container = await new GenericContainer(SERVER_IMAGE)
    .withEnvironment({ CLICKHOUSE_USER: 'weir', CLICKHOUSE_PASSWORD: 'weir' })
    .withExposedPorts(HTTP_PORT)
    .withWaitStrategy(Wait.forHttp('/ping', HTTP_PORT))
    .start()
  return {
    url: `http://${container.getHost()}:${container.getMappedPort(HTTP_PORT)}`,
    username: 'weir',
    password: 'weir',
    stop: async () => void (await container.stop()),
  }
}

/** The embedded engine behind an HTTP interface, in a process that a test can kill. */
export interface ClickHouseFront extends ClickHouseServer {
  readonly process: Child
}

/** @param rules options of the program: see there */
export async function startFront(
  folder: string,
  port = 0,
  rules: readonly string[] = [],
): Promise<ClickHouseFront> {
  const program = join(import.meta.dirname, 'clickhouse-http-front.ts')
  const child = startChild([program, folder, String(port), ...rules])
  const said = await child.line(/^port \d+$/)
  if (said === null) throw new Error('the front has ended before it listened')
  const url = `http://127.0.0.1:${said.slice('port '.length)}`
  return { url, username: 'default', password: '', process: child, stop: () => child.kill() }
}

/** Databases of a run have names of their own: a server may have seen other runs. */
export function runName(): string {
  return `weir_test_${process.pid}_${Date.now()}`
}
