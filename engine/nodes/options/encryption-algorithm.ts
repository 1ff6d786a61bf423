import type { JsonValue } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'

const KEY_BYTES = { 256: 32, 192: 24, 128: 16 } as const
const MODES = ['CFB', 'OFB', 'CTR', 'CBC-PKCS7', 'CBC-ANSIX923', 'CBC-ISO7816', 'CBC-ISO10126'] as const

export type EncryptionAlgorithm = `AES-${keyof typeof KEY_BYTES}-${(typeof MODES)[number]}`

/** Filling of the last block. */
export type Padding = 'PKCS7' | 'ANSIX923' | 'ISO7816' | 'ISO10126'

/** Parts of the name of an algorithm. */
export type EncryptionMode =
  | { readonly bits: keyof typeof KEY_BYTES; readonly mode: 'CFB' | 'OFB' | 'CTR'; readonly padding?: never }
  | { readonly bits: keyof typeof KEY_BYTES; readonly mode: 'CBC'; readonly padding: Padding }

const KEY_BYTES_OF: ReadonlyMap<string, number> = new Map(
  MODES.flatMap(mode =>
    Object.entries(KEY_BYTES).map(([bits, bytes]) => [`AES-${bits}-${mode}`, bytes] as const),
  ),
)

/** Algorithms that encrypt fields (pipeline API, section 5.2). */
export const ENCRYPTION_ALGORITHMS = [...KEY_BYTES_OF.keys()] as EncryptionAlgorithm[]

export function modeOf(algorithm: EncryptionAlgorithm): EncryptionMode {
  const [, bits, mode, padding] = algorithm.split('-')
  return { bits: Number(bits), mode, padding } as EncryptionMode
}

/** A key is used as the bytes of its text, so its length is that of the bytes: components, section 5.6. */
export function encryptionKeyProblems(
  algorithm: JsonValue | undefined,
  key: JsonValue | undefined,
): Problem[] {
  const bytes = typeof algorithm === 'string' ? KEY_BYTES_OF.get(algorithm) : undefined
  if (bytes === undefined || typeof key !== 'string') return []
  const length = Buffer.byteLength(key)
  if (length === bytes) return []
  const bound = length < bytes ? 'fewer' : 'more'
  return [
    { instancePath: '/key', message: `must NOT have ${bound} than ${bytes} characters (bytes of UTF-8)` },
  ]
}
