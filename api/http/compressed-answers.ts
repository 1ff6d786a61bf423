import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** Shorter answers are sent as they are: they fit into one packet. (Our choice.) */
const MIN_BYTES = 1024
/** Types of answers that become shorter. Events of taps are left alone, because proxies might hold them back. */
const COMPRESSIBLE = /^(application\/(json|x-ndjson|yaml|javascript)|text\/(?!event-stream)|image\/svg)/

export interface Coding {
  readonly name: 'zstd' | 'gzip'
  whole(payload: string | Buffer): Promise<Buffer>
  /** Compressor that gives each piece away as soon as it has it. */
  pieces(): NodeJS.ReadWriteStream & Readable
}

// The fastest levels: answers are made once, and a reader must not wait for their compression.
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const gzipOptions = { level: constants.Z_BEST_SPEED }
const zstdWhole = promisify(zstdCompress)
const gzipWhole = promisify(gzip)

/** Codings in the order of preference. */
const CODINGS: readonly Coding[] = [
  {
    name: 'zstd',
    whole: payload => zstdWhole(payload, zstdOptions),
    pieces: () => createZstdCompress({ ...zstdOptions, flush: constants.ZSTD_e_flush }),
  },
  {
    name: 'gzip',
    whole: payload => gzipWhole(payload, gzipOptions) as Promise<Buffer>,
    pieces: () => createGzip({ ...gzipOptions, flush: constants.Z_SYNC_FLUSH }),
  },
]

/** Compresses answers for clients that accept it. Pieces of a stream are sent one by one, as without compression. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isStream = payload instanceof Readable
    if (!isStream && !isLong(payload)) return payload
    const type = String(reply.getHeader('content-type') ?? '')
    const isWhole = reply.statusCode !== 206 && request.method !== 'HEAD'
    if (!isWhole || !COMPRESSIBLE.test(type) || reply.hasHeader('content-encoding')) return payload
    reply.header('vary', withVary(reply.getHeader('vary')))
    const coding = acceptedCoding(request.headers['accept-encoding'])
    if (coding === undefined) return payload
    reply.header('content-encoding', coding.name)
    reply.removeHeader('content-length')
    if (!isStream) return coding.whole(payload as string | Buffer)
    // The end of either side ends the other: a reader that leaves stops the source.
    return pipeline(payload, coding.pieces(), () => {})
  })
}

function isLong(payload: unknown): boolean {
  if (typeof payload === 'string') return payload.length >= MIN_BYTES
  return Buffer.isBuffer(payload) && payload.length >= MIN_BYTES
}

/** @param header such as `gzip;q=0.5, zstd`; `*` stands for every coding that is not named */
export function acceptedCoding(header: string | string[] | undefined): Coding | undefined {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map(each => {
        const [name = '', ...parameters] = each.split(';').map(part => part.trim())
        const weight = parameters.find(part => part.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight) || 0] as const
      }),
  )
  const weightOf = ({ name }: Coding) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = CODINGS.filter(coding => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  return best
}

function withVary(present: unknown): string {
  const names = present === undefined ? [] : String(present).split(/\s*,\s*/)
  return names.some(name => /^(\*|accept-encoding)$/i.test(name))
    ? names.join(', ')
    : [...names, 'accept-encoding'].join(', ')
}
