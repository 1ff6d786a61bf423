import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { registryLog } from '../../engine/log/registry-log.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { RegistryIds } from '../../schemas/log/registry-ids.ts'
import { BUNDLED_SCHEMAS } from '../../schemas/log/wire-format.ts'
import { type LogPlace, type LogPlaceOptions, logContract } from './log-contract.ts'

logContract(
  'memory log',
  async () => {
    const storage: MemoryStorage = new Map()
    return { open: async options => memoryLog({ ...options, storage }), remove: async () => storage.clear() }
  },
  { embedded: true },
)

logContract(
  'log whose schemas a registry keeps',
  async () => {
    const storage: MemoryStorage = new Map()
    const ids = new RegistryIds(new Map(BUNDLED_SCHEMAS.map(({ name, id }) => [name, 100 + id])))
    const lookup = { schemaOf: () => Promise.reject(new Error('no record has an id of another version')) }
    return {
      open: async options => registryLog(memoryLog({ ...options, storage }), ids, lookup),
      remove: async () => storage.clear(),
    }
  },
  { embedded: true },
)

async function segmentPlace(cache: { cacheBytes?: number } = {}): Promise<LogPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-log-'))
  return {
    open: (options: LogPlaceOptions) =>
      openSegmentLog({ directory, maxBytes: 2 ** 30, minFreeDiskBytes: 0, ...options, ...cache }),
    remove: () => rm(directory, { recursive: true }),
  }
}

logContract('segment log', () => segmentPlace(), { embedded: true })
logContract('segment log that reads from its files alone', () => segmentPlace({ cacheBytes: 0 }), {
  embedded: true,
})
