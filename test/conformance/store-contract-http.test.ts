import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { type ClickHouseServer, runName, serverAtHand, startFront } from '../support/clickhouse-server.ts'
import { IS_LONG } from '../support/long-form.ts'
import { type StoreEngine, storeContract } from './store-contract.ts'

async function openFront(): Promise<StoreEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-front-'))
  const front = await startFront(join(folder, 'store'))
  return {
    connect: async database => serverConnection({ url: front.url, database }),
    stop: async () => {
      await front.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// The embedded engine fulfils the whole contract in every run. In the short form the front shows what HTTP could change:
// blocks, parameters, answers, errors and ends of statements.
storeContract('an engine over HTTP', openFront, { statements: IS_LONG })

const server = serverAtHand()
if (server === undefined)
  console.warn('SKIPPED: the store contract against a server needs CLICKHOUSE_URL or a Docker engine')
else storeContract(server.name, async () => serverEngine(await server.start()))

function serverEngine({ url, username, password, stop }: ClickHouseServer): StoreEngine {
  const run = runName()
  const databases = new Set<string>()
  return {
    connect: async name => {
      const database = `${run}_${name}`
      databases.add(database)
      return serverConnection({ url, username, password, database })
    },
    stop: async () => {
      const connection = serverConnection({ url, username, password, database: 'default' })
      for (const database of databases) await connection.command(`DROP DATABASE IF EXISTS ${database} SYNC`)
      await connection.close()
      await stop()
    },
  }
}
