import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { releaseTables } from '../../engine/store/store-freeze.ts'
import type { DataDirectory } from '../data-directory.ts'

/** Lets go of what was held, also by a process that was killed. */
export async function releaseInstallation(directory: DataDirectory): Promise<void> {
  await rm(directory.heldPath, { recursive: true, force: true })
  await releaseTables(resolve(directory.storePath))
}
