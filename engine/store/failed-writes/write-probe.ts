import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** More than all files of an empty part. */
const PROBE_BYTES = 1024 ** 2

/** Whether the disk takes a file of some size at present. */
export async function canWrite(folder: string): Promise<boolean> {
  const path = join(folder, 'weir-write-probe')
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch {
    return false
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
