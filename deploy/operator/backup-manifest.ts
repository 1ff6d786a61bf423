import { readFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { FORMAT_VERSION } from '../data-directory.ts'
import { writeAtomically } from '../durable-file.ts'

/** Layout of a backup; one of a newer program is refused. */
const BACKUP_FORMAT = 1
const MANIFEST_NAME = 'backup.json'

/** A backup that cannot be made, or is not what it should be: says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export interface BackedUpFile {
  /** Where it belongs in the data folder, and lies in the backup. */
  readonly path: string
  readonly bytes: number
  /** SHA-256, hexadecimal. */
  readonly sha256: string
}

/** What a backup holds. It is written last, so a backup without it is not whole. */
export interface BackupManifest {
  readonly format: number
  /** Of the data folder that it was made of. */
  readonly dataFormat: number
  readonly version: string
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly logId: string
  readonly partitions: number
  /** False: secrets at rest are sealed with the key of WEIR_SECRET_KEY, which is not in the backup. */
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

/** @throws BackupError when there is none, it is damaged, or a newer program wrote it */
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
      `${directory} is not a whole backup: it has no ${MANIFEST_NAME}, which is written last. Name the folder that ` +
        '"weir backup" has filled to its end',
      { cause },
    )
  }
  const manifest = parsed(text)
  if (manifest === undefined) throw new BackupError(`${path} is damaged: restore from another backup`)
  const { format, dataFormat, version } = manifest
  if (format > BACKUP_FORMAT || dataFormat > FORMAT_VERSION)
    throw new BackupError(
      `${directory} was made by Weir ${version}, and this program does not know its format ` +
        `(backup ${format}, data folder ${dataFormat}): restore with the newer program`,
    )
  const outside = manifest.files.find(file => !isInside(file.path))
  if (outside !== undefined)
    throw new BackupError(`${path} is damaged: it names ${outside.path}, which lies outside of the backup`)
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
