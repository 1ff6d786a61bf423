import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { releaseTables } from '../../engine/store/store-freeze.ts'
import type { DataDirectory } from '../data-directory.ts'

/** Releases held files, also those of a killed process. */
export async function releaseInstallation(directory: DataDirectory): Promise<void> {
  await rm(directory.heldPath, { recursive: true, force: true })
  await releaseTables(resolve(directory.storePath))
}
