import { bytePool } from '../../engine/memory/byte-pool.ts'

// In every test, code that reads memory after giving it back reads nonsense.
bytePool.overwriteFreePieces()
