import { hash } from 'node:crypto'

/**
 * The id of a node that a file brings into a pipeline: the same name is always the same node, so what the node
 * remembers stays its own. A UUID of version 5 whose name space is the pipeline.
 */
export function nodeIdOf(pipelineId: string, name: string): string {
  const space = Buffer.from(pipelineId.replaceAll('-', ''), 'hex')
  const bytes = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
