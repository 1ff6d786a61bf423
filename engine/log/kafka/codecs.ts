import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import kafkajs from 'kafkajs'

/** Below this size, moving to another thread costs more than the work. */
const SMALL_BYTES = 32_768
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const { CompressionCodecs, CompressionTypes } = kafkajs

// kafkajs supports only gzip. Records that operators' own tools wrote into a topic must be readable, too.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async ({ buffer }: { buffer: Buffer }) =>
    buffer.length < SMALL_BYTES ? zstdCompressSync(buffer) : await compress(buffer),
  decompress: async (buffer: Buffer) =>
    buffer.length < SMALL_BYTES ? zstdDecompressSync(buffer) : await decompress(buffer),
})
