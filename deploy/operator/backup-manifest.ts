import { readFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { FORMAT_VERSION } from '../data-directory.ts'
import { writeAtomically } from '../durable-file.ts'

/** Format of a backup; backups of a newer program are refused. */
const BACKUP_FORMAT = 1
const MANIFEST_NAME = 'backup.json'

/** A backup that cannot be made, or is not valid. The message states the remedy. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface BackedUpFile {
  /** Place in the data folder, and also in the backup. */
  readonly path: string
  readonly bytes: number
  /** SHA-256, hexadecimal. */
  readonly sha256: string
}

/** Content of a backup. The manifest is written last, so a backup without it is incomplete. */
export interface BackupManifest {
  readonly format: number
  /** Format of the copied data folder. */
  readonly dataFormat: number
  readonly version: string
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly logId: string
  readonly partitions: number
  /** false: stored secrets are encrypted with the key of WEIR_SECRET_KEY, which is not in the backup. */
  readonly hasSecretKey: boolean
  readonly files: readonly BackedUpFile[]
}

export function writeManifest(
  directory: string,
  manifest: Omit<BackupManifest, 'format' | 'dataFormat'>,
): void {
  const whole: BackupManifest = { format: BACKUP_FORMAT, dataFormat: FORMAT_VERSION, ...manifest }
  writeAtomically(join(directory, MANIFEST_NAME), `${JSON.stringify(whole)}\n`)
}

/** @throws BackupError when it is missing, damaged, or from a newer program */
export function readManifest(directory: string): BackupManifest {
  const path = join(directory, MANIFEST_NAME)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new BackupError(`${path} cannot be read: ${message}`, { cause })
    throw new BackupError(
      `${directory} is not a complete backup: it has no ${MANIFEST_NAME}, which is written last. Use the folder of a ` +
        '"weir backup" that was completed',
      { cause },
    )
  }
  const manifest = parsed(text)
  if (manifest === undefined) throw new BackupError(`${path} is damaged: restore from another backup`)
  const { format, dataFormat, version } = manifest
  if (format > BACKUP_FORMAT || dataFormat > FORMAT_VERSION)
    throw new BackupError(
      `${directory} was made by Weir ${version}, and this program does not support its format ` +
        `(backup ${format}, data folder ${dataFormat}): restore with the newer program`,
    )
  const outside = manifest.files.find(file => !isInside(file.path))
  if (outside !== undefined)
    throw new BackupError(`${path} is damaged: it names ${outside.path}, which is outside of the backup`)
  return manifest
}

function parsed(text: string): BackupManifest | undefined {
  try {
    const value = JSON.parse(text) as Partial<BackupManifest> | null
    const isManifest =
      typeof value?.format === 'number' &&
      typeof value.dataFormat === 'number' &&
      typeof value.partitions === 'number' &&
      Array.isArray(value.files) &&
      value.files.every(
        file =>
          typeof file?.path === 'string' && typeof file.bytes === 'number' && typeof file.sha256 === 'string',
      )
    return isManifest ? (value as BackupManifest) : undefined
  } catch {
    return undefined
  }
}

function isInside(path: string): boolean {
  return !isAbsolute(path) && normalize(path) === path && !path.startsWith('..')
}
