import type { FileHandle } from 'node:fs/promises'
import { beginsAs, type FileIdentity, inodeOf, openIfThere } from './file-identity.ts'
import { compressedFiles, type RotatedFile, rotatedFiles } from './rotated-files.ts'
import { unpackedCopy } from './unpacked-copy.ts'

/** The followed file after a rotation that happened while the program did not run. */
export interface Predecessor {
  readonly handle: FileHandle
  readonly file: RotatedFile
  /** Whether the file was compressed, so that it is no longer written. */
  readonly isCompressed: boolean
}

/** Whether the file at the path is the followed one: the inode of a removed file is given to a new one. */
export async function isStillIt(
  handle: FileHandle,
  identity: FileIdentity,
  offset: number,
): Promise<boolean> {
  if ((await inodeOf(handle)) !== identity.inode) return false
  return (await handle.stat()).size >= offset && (await beginsAs(handle, identity.fingerprint))
}

/** @param offset number of bytes shipped */
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
  // The file is known only by its beginning, which must not be empty.
  if (fingerprint.length === 0) return undefined
  for (const file of (await compressedFiles(path)).reverse()) {
    const copy = await unpackedCopy(file, fingerprint, offset)
    if (copy) return { handle: copy, file, isCompressed: true }
  }
  return undefined
}

/** Compressed files that were rotated after it: lines written while the program did not run. */
export async function compressedAfter(path: string, { file }: Predecessor): Promise<RotatedFile[]> {
  return (await compressedFiles(path)).filter(other => other.modifiedNs > file.modifiedNs)
}
