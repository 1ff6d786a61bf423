import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type FileOperations, fileErrorCode } from './file-operations.ts'
import { LogError } from './log.ts'
import { removeIfThere } from './segment-file.ts'

const FORMAT_VERSION = 1
export const METADATA_NAME = 'topic.json'

/** Identity of a topic on the disk. */
export interface TopicMetadata {
  readonly logId: string
  readonly partitions: number
}

/** Content of the file. Earlier programs write no checksum, and ignore the one that they find. */
interface MetadataFile extends TopicMetadata {
  readonly formatVersion: number
  readonly checksum?: string
}

/**
 * Reads the metadata of the topic in a folder.
 *
 * @returns undefined when the file does not exist
 * @throws LogError LOG_CORRUPT when it is damaged, or of a newer format
 */
export async function readMetadata(
  operations: FileOperations,
  directory: string,
): Promise<TopicMetadata | undefined> {
  const path = join(directory, METADATA_NAME)
  let text: string
  try {
    text = await operations.readText(path)
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const file = parsed(text)
  if (file === undefined) throw damaged(path, 'it is not the description of a topic')
  if (file.formatVersion !== FORMAT_VERSION) {
    const message = `${path} has format ${file.formatVersion}; this program supports only format ${FORMAT_VERSION}.`
    throw new LogError('LOG_CORRUPT', message)
  }
  if (file.checksum !== undefined && file.checksum !== checksumOf(file))
    throw damaged(path, 'its checksum belongs to another content')
  return { logId: file.logId, partitions: file.partitions }
}

/** Writes the metadata of a new topic, durably and whole or not at all. */
export async function writeMetadata(
  operations: FileOperations,
  directory: string,
  metadata: TopicMetadata,
): Promise<void> {
  const file: MetadataFile = {
    formatVersion: FORMAT_VERSION,
    ...metadata,
    checksum: checksumOf(metadata),
  }
  await writeAtomically(operations, directory, METADATA_NAME, `${JSON.stringify(file)}\n`)
}

function parsed(text: string): MetadataFile | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { formatVersion, logId, partitions, checksum } = value as Partial<MetadataFile>
  if (typeof formatVersion !== 'number' || typeof logId !== 'string') return undefined
  if (typeof partitions !== 'number') return undefined
  return { formatVersion, logId, partitions, ...(checksum !== undefined && { checksum: `${checksum}` }) }
}

/** CRC-32 of the identity, 8 hexadecimal digits. */
function checksumOf({ logId, partitions }: TopicMetadata): string {
  return crc32(JSON.stringify([logId, partitions]))
    .toString(16)
    .padStart(8, '0')
}

function damaged(path: string, what: string): LogError {
  return new LogError(
    'LOG_CORRUPT',
    `${path} is damaged: ${what}. Put the file back from a backup. Nothing of this topic was changed.`,
  )
}

async function writeAtomically(
  operations: FileOperations,
  directory: string,
  name: string,
  text: string,
): Promise<void> {
  const temporary = join(directory, `${name}.new`)
  await removeIfThere(operations, temporary)
  const file = await operations.open(temporary, 'create')
  try {
    await file.write(Buffer.from(text), 0)
    await file.datasync()
  } finally {
    await file.close()
  }
  await operations.rename(temporary, join(directory, name))
  await operations.syncDirectory(directory)
}
