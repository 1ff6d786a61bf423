import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { storeContract } from './store-contract.ts'

storeContract('the embedded engine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-store-'))
  return {
    connect: database => openEmbeddedConnection({ path: join(folder, 'store'), database }),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
})
