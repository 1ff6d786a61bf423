import { promisify } from 'node:util'
import {
  constants,
  gunzip,
  type ZlibOptions,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib'

/** Compressions of a record batch, as its attributes name them. */
export const NOT_COMPRESSED = 0
export const GZIP = 1
export const ZSTD = 4

/**
 * Below this size, the work is done at once: another thread costs 60 to 100 us of processor time per batch, and this much
 * is compressed in 220 us.
 */
const SMALL_BYTES = 131_072
/** The lowest level takes three quarters of the time of the default one, and lines become hardly larger. */
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 }
/** Lines become smaller by more than this, so that the result is one piece; others come in several. */
const LEAST_RATIO = 3
/** A buffer that is filled to its end is followed by another one. */
const SPARE_BYTES = 64
/** A header that promises more is not believed: the content then comes in pieces of this size. */
const MAX_PIECE_BYTES = 32 * 1024 * 1024
const UNKNOWN_PIECE_BYTES = 256 * 1024

const compress = promisify<Buffer, ZstdOptions, Buffer>(zstdCompress)
const decompress = promisify<Buffer, ZstdOptions, Buffer>(zstdDecompress)
const unzip = promisify<Buffer, ZlibOptions, Buffer>(gunzip)

/** Compresses records with Zstandard. */
export async function compressed(bytes: Buffer): Promise<Buffer> {
  const chunkSize = Math.ceil(bytes.length / LEAST_RATIO) + SPARE_BYTES
  const options = { params: LEVEL, chunkSize, pledgedSrcSize: bytes.length }
  return bytes.length < SMALL_BYTES ? zstdCompressSync(bytes, options) : await compress(bytes, options)
}

/**
 * Content of the compressed records of a batch. Operators' own tools may write with another compression than Weir.
 *
 * @throws TypeError about a compression that is not supported; the library's error about damaged content
 */
export async function decompressed(compression: number, bytes: Buffer): Promise<Buffer> {
  if (compression === NOT_COMPRESSED) return bytes
  if (compression === GZIP) return await unzip(bytes, { chunkSize: UNKNOWN_PIECE_BYTES })
  if (compression !== ZSTD) throw new TypeError(`compression ${compression} of records is not supported`)
  const contentBytes = contentBytesOf(bytes) ?? UNKNOWN_PIECE_BYTES
  const options = { chunkSize: Math.min(contentBytes, MAX_PIECE_BYTES) + SPARE_BYTES }
  return contentBytes < SMALL_BYTES ? zstdDecompressSync(bytes, options) : await decompress(bytes, options)
}

const MAGIC = 0xfd2fb528
const MAGIC_BYTES = 4
/** Sizes of the fields in the header of a frame, by their flags. */
const DICTIONARY_BYTES = [0, 1, 2, 4]
const CONTENT_BYTES = [0, 2, 4, 8]

/** Size of the content that the header of a Zstandard frame names (RFC 8878, section 3.1.1.1); undefined: it names none. */
export function contentBytesOf(frame: Buffer): number | undefined {
  if (frame.length <= MAGIC_BYTES || frame.readUInt32LE(0) !== MAGIC) return undefined
  const descriptor = frame[MAGIC_BYTES] as number
  const isSingle = (descriptor & 0x20) !== 0
  const sizeFlag = descriptor >>> 6
  const sizeBytes = sizeFlag === 0 && isSingle ? 1 : (CONTENT_BYTES[sizeFlag] as number)
  const at = MAGIC_BYTES + 1 + (isSingle ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] as number)
  if (sizeBytes === 0 || frame.length < at + sizeBytes) return undefined
  if (sizeBytes === 8) return Number(frame.readBigUInt64LE(at))
  // A field of two bytes begins where one byte ends.
  return frame.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
}
