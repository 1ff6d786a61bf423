import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { openServerConnection } from '../../engine/store/server-connection.ts'
import { startChild } from '../support/child.ts'
import { storeContract } from './store-contract.ts'

storeContract('the embedded engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-store-'))
  return {
    connect: database => openEmbeddedConnection({ path: join(folder, 'store'), database }),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
})

storeContract('an engine over HTTP', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-front-'))
  const front = startChild([join(import.meta.dirname, '../support/clickhouse-http-front.ts'), folder])
  const port = (await front.line(/^port \d+$/))?.slice('port '.length)
  return {
    connect: database => openServerConnection({ url: `http://127.0.0.1:${port}`, database }),
    stop: async () => {
      await front.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
