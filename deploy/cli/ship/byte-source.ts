import { constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { basename, extname } from 'node:path'
import { addAbortSignal, pipeline, type Readable, type Transform } from 'node:stream'
import { isatty, ReadStream } from 'node:tty'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import type { Totals } from './totals.ts'

const CHUNK_BYTES = 1024 * 1024

interface Compression {
  readonly magic: Buffer
  readonly decompressor: () => Transform
}

const COMPRESSIONS: readonly Compression[] = [
  { magic: Buffer.from([0x1f, 0x8b]), decompressor: () => createGunzip({ chunkSize: CHUNK_BYTES }) },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    decompressor: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  },
]

/** The bytes of a file, decompressed if it begins as gzip or zstd; progress counts the bytes on the disk. */
export async function* fileBytes(path: string, totals: Totals, world: World): AsyncGenerator<Buffer> {
  const { stream, compression } = openOnce(path)
  const counted = countedBytes(addAbortSignal(world.stop, stream), totals)
  if (!compression) return yield* counted
  const decompressor = compression.decompressor()
  // The reader of the decompressor gets the error; this callback only keeps it from being unhandled.
  pipeline(counted, decompressor, () => {})
  try {
    yield* decompressor
  } catch (cause) {
    throw world.stop.aborted
      ? cause
      : new CommandError(EXIT.usage, `${path} cannot be decompressed: ${(cause as Error).message}.`, {
          cause,
        })
  }
}

interface OpenedFile {
  readonly stream: Readable
  readonly compression?: Compression | undefined
}

/**
 * Opens a file once, without waiting. The writer of a named pipe may exist only once, or not yet. A program that the
 * system blocks in `open` cannot be ended.
 */
function openOnce(path: string): OpenedFile {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const kind = fstatSync(fd)
  // Waits for the writer and for bytes without a thread. A pipe can be read only once.
  if (kind.isFIFO()) return { stream: new Socket({ fd, readable: true, writable: false }) }
  if (isatty(fd)) return { stream: new ReadStream(fd) }
  const stream = createReadStream(path, { fd, highWaterMark: CHUNK_BYTES })
  return { stream, compression: kind.isFile() ? compressionOf(fd) : undefined }
}

/** The bytes of standard input. */
export function inputBytes(totals: Totals, world: World): AsyncIterable<Buffer> {
  return countedBytes(addAbortSignal(world.stop, world.stdin), totals)
}

async function* countedBytes(chunks: AsyncIterable<Buffer>, totals: Totals): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    totals.readBytes += chunk.length
    yield chunk
  }
}

function compressionOf(fd: number): Compression | undefined {
  const head = Buffer.alloc(4)
  readSync(fd, head, 0, head.length, 0)
  return COMPRESSIONS.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
}

/** Name of an application from the name of its log: `nginx` of `nginx.log`, `nginx.log.2.gz` and `nginx.log-20260131`. */
export function appOfFile(path: string): string {
  const name = basename(path).replace(/\.(gz|zst)$/, '')
  const unrotated = name.replace(/[.-]\d[\d.-]*$/, '')
  // Without a remaining extension, the number belongs to the name: `server-2` is not a rotated `server`.
  const whole = extname(unrotated) ? unrotated : name
  return basename(whole, extname(whole))
}
