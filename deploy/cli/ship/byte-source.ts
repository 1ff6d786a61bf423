import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { addAbortSignal, pipeline, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import type { Totals } from './totals.ts'

const CHUNK_BYTES = 1024 * 1024

const COMPRESSIONS: readonly { readonly magic: Buffer; readonly decompressor: () => Transform }[] = [
  { magic: Buffer.from([0x1f, 0x8b]), decompressor: () => createGunzip({ chunkSize: CHUNK_BYTES }) },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    decompressor: () => createZstdDecompress({ chunkSize: CHUNK_BYTES }),
  },
]

/** The bytes of a file, decompressed when it begins as gzip or zstd does; progress counts what lies on the disk. */
export async function* fileBytes(path: string, totals: Totals, world: World): AsyncGenerator<Buffer> {
  const compression = await compressionOf(path)
  const file = addAbortSignal(world.stop, createReadStream(path, { highWaterMark: CHUNK_BYTES }))
  const counted = countedBytes(file, totals)
  if (!compression) return yield* counted
  const decompressor = compression.decompressor()
  // The outcome reaches whoever reads the decompressor; here it only must not go unheard.
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

async function compressionOf(path: string) {
  const handle = await open(path, 'r')
  try {
    // What is not a regular file, a pipe for instance, gives its bytes only once.
    if (!(await handle.stat()).isFile()) return undefined
    const head = Buffer.alloc(4)
    await handle.read(head, 0, head.length, 0)
    return COMPRESSIONS.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
  } finally {
    await handle.close()
  }
}

/** The name of an application from that of its log: `nginx` of `nginx.log`, `nginx.log.2.gz` and `nginx.log-20260131`. */
export function appOfFile(path: string): string {
  const name = basename(path).replace(/\.(gz|zst)$/, '')
  const unrotated = name.replace(/[.-]\d[\d.-]*$/, '')
  // Without an extension left, the number belongs to the name: `server-2` is no rotated `server`.
  const whole = extname(unrotated) ? unrotated : name
  return basename(whole, extname(whole))
}
