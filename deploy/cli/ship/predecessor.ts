import type { FileHandle } from 'node:fs/promises'
import { beginsAs, type FileIdentity, inodeOf, openIfThere } from './file-identity.ts'
import { compressedFiles, type RotatedFile, rotatedFiles } from './rotated-files.ts'
import { unpackedCopy } from './unpacked-copy.ts'

/** The file that was followed, as it is found again after it was rotated while nobody followed it. */
export interface Predecessor {
  readonly handle: FileHandle
  readonly file: RotatedFile
  /** Whether it was compressed: nobody writes to it any more. */
  readonly isCompressed: boolean
}

/** Whether the file at the path is the one that was followed: the number of one that has gone is given to a new one. */
export async function isStillIt(
  handle: FileHandle,
  identity: FileIdentity,
  offset: number,
): Promise<boolean> {
  if ((await inodeOf(handle)) !== identity.inode) return false
  return (await handle.stat()).size >= offset && (await beginsAs(handle, identity.fingerprint))
}

/** @param offset how far it was shipped */
export async function findPredecessor(
  path: string,
  identity: FileIdentity,
  offset: number,
): Promise<Predecessor | undefined> {
  const { inode, fingerprint } = identity
  const renamed = (await rotatedFiles(path)).find(file => file.inode === inode)
  const handle = renamed && (await openIfThere(renamed.path))
  if (handle && (await beginsAs(handle, fingerprint))) return { handle, file: renamed, isCompressed: false }
  await handle?.close()
  // Known by nothing but how it begins, which must be something then.
  if (fingerprint.length === 0) return undefined
  for (const file of (await compressedFiles(path)).reverse()) {
    const copy = await unpackedCopy(file, fingerprint, offset)
    if (copy) return { handle: copy, file, isCompressed: true }
  }
  return undefined
}

/** Compressed files that were rotated after it: what was written while nobody followed the log. */
export async function compressedAfter(path: string, { file }: Predecessor): Promise<RotatedFile[]> {
  return (await compressedFiles(path)).filter(other => other.modifiedNs > file.modifiedNs)
}
