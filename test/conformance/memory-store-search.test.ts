import { describe } from 'vitest'
import { MemoryStore } from '../support/memory-store.ts'
import { searchContract } from './store-search-contract.ts'

const EPOCH = { offset: 40n, attempt: 0 }

describe('a store in memory', () => {
  searchContract(async () => {
    const store = new MemoryStore()
    await store.claim({ topic: 'weir.ingest', partition: 3, epoch: EPOCH })
    return { store, epoch: EPOCH }
  })
})
