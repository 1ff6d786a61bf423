import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import kafkajs from 'kafkajs'

/** Below this a hop to another thread costs more than the work. */
const SMALL_BYTES = 32_768
/** Below this nothing is gained. */
const WORTHWHILE_BYTES = 512
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const { CompressionCodecs, CompressionTypes } = kafkajs

// kafkajs brings gzip only; what an operator's own tools wrote into a topic is theirs to read.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async ({ buffer }: { buffer: Buffer }) =>
    buffer.length < SMALL_BYTES ? zstdCompressSync(buffer) : await compress(buffer),
  decompress: async (buffer: Buffer) =>
    buffer.length < SMALL_BYTES ? zstdDecompressSync(buffer) : await decompress(buffer),
})

/** How a batch of that many bytes is compressed. */
export function compressionOf(bytes: number): number {
  return bytes < WORTHWHILE_BYTES ? CompressionTypes.None : CompressionTypes.ZSTD
}
