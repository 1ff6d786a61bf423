import { randomBytes, randomUUID } from 'node:crypto'
import type { Entropy } from './entropy.ts'

export function systemEntropy(): Entropy {
  return { bytes: count => randomBytes(count), uuid: () => randomUUID() }
}
