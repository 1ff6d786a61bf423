import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GenericContainer, Wait } from 'testcontainers'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { openServerConnection } from '../../engine/store/server-connection.ts'
import { startChild } from '../support/child.ts'
import { type StoreEngine, storeContract } from './store-contract.ts'

storeContract('the embedded engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-store-'))
  return {
    connect: database => openEmbeddedConnection({ path: join(folder, 'store'), database }),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

storeContract('an engine over HTTP', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-front-'))
  const front = startChild([
    join(import.meta.dirname, '../support/clickhouse-http-front.ts'),
    join(folder, 'store'),
  ])
  const port = (await front.line(/^port \d+$/))?.slice('port '.length)
  return {
    connect: database => openServerConnection({ url: `http://127.0.0.1:${port}`, database }),
    stop: async () => {
      await front.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

const SERVER_URL = process.env.CLICKHOUSE_URL
const SERVER_IMAGE = process.env.WEIR_TEST_CLICKHOUSE_IMAGE ?? 'clickhouse/clickhouse-server:26.7'
const HTTP_PORT = 8123

if (SERVER_URL !== undefined) {
  storeContract('the server of CLICKHOUSE_URL', async () =>
    serverEngine(SERVER_URL, process.env.CLICKHOUSE_USER, process.env.CLICKHOUSE_PASSWORD, async () => {}),
  )
} else if (spawnSync('docker', ['info']).status === 0) {
  storeContract('a server in a container', async () => {
    const container = await new GenericContainer(SERVER_IMAGE)
      .withEnvironment({ CLICKHOUSE_USER: 'weir', CLICKHOUSE_PASSWORD: 'weir' })
      .withExposedPorts(HTTP_PORT)
      .withWaitStrategy(Wait.forHttp('/ping', HTTP_PORT))
      .start()
    const url = `http://${container.getHost()}:${container.getMappedPort(HTTP_PORT)}`
    return serverEngine(url, 'weir', 'weir', async () => void (await container.stop()))
  })
} else {
  console.warn('SKIPPED: the store contract against a server needs CLICKHOUSE_URL or a Docker engine')
}

/** Databases of this run have a name of their own: a server may have seen other runs. */
async function serverEngine(
  url: string,
  username = 'default',
  password = '',
  stop: () => Promise<void> = async () => {},
): Promise<StoreEngine> {
  const run = `weir_test_${process.pid}_${Date.now()}`
  const databases = new Set<string>()
  return {
    connect: name => {
      const database = `${run}_${name}`
      databases.add(database)
      return openServerConnection({ url, username, password, database })
    },
    stop: async () => {
      const connection = await openServerConnection({ url, username, password, database: 'default' })
      for (const database of databases) await connection.command(`DROP DATABASE IF EXISTS ${database} SYNC`)
      await connection.close()
      await stop()
    },
  }
}
