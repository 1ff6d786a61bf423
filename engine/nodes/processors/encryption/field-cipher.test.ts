import { createCipheriv, createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENCRYPTION_ALGORITHMS, modeOf } from '../../options/encryption-algorithm.ts'
import { fieldCipher } from './field-cipher.ts'

const KEYS = {
  128: 'sixteen byte key',
  192: 'twenty-four bytes of key',
  256: 'thirty-two bytes make up the key',
} as const
const BLOCK = 16

const bytes = (length: number, seed: string) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, n) =>
      createHash('sha256').update(`${seed} ${n}`).digest(),
    ),
  ).subarray(0, length)

/** Keystream of CTR as components 5.6 wants it, one block after the other. */
function countedStream(bits: number, key: string, iv: Buffer, blocks: number): Buffer {
  const stream: Buffer[] = []
  for (let block = 0n; block < BigInt(blocks); block++) {
    const counter = Buffer.from(iv)
    counter.writeBigUInt64LE(BigInt.asUintN(64, iv.readBigUInt64LE() + block))
    const cipher = createCipheriv(`aes-${bits}-ecb`, Buffer.from(key), null).setAutoPadding(false)
    stream.push(cipher.update(counter))
  }
  return Buffer.concat(stream)
}

/** Text behind which a padding was written, by the rules of its standard. */
function filled(clear: Buffer, padding: string, noise: Buffer): Buffer {
  const count = BLOCK - (clear.length % BLOCK)
  const fillings: Record<string, () => number[]> = {
    PKCS7: () => Array(count).fill(count),
    ANSIX923: () => [...Array(count - 1).fill(0), count],
    ISO7816: () => [0x80, ...Array(count - 1).fill(0)],
    ISO10126: () => [...noise.subarray(0, count - 1), count],
  }
  return Buffer.concat([clear, Buffer.from(fillings[padding]?.() ?? [])])
}

/** Encrypts a text by a cipher of OpenSSL of its own. */
function expected(
  algorithm: (typeof ENCRYPTION_ALGORITHMS)[number],
  clear: Buffer,
  iv: Buffer,
  noise: Buffer,
) {
  const { bits, mode, padding = '' } = modeOf(algorithm)
  const key = KEYS[bits]
  if (mode === 'CTR') {
    const stream = countedStream(bits, key, iv, Math.ceil(clear.length / BLOCK))
    return Buffer.from(clear.map((byte, at) => byte ^ (stream[at] as number)))
  }
  const cipher = createCipheriv(`aes-${bits}-${mode.toLowerCase()}`, Buffer.from(key), iv)
  if (mode !== 'CBC') return Buffer.concat([cipher.update(clear), cipher.final()])
  return Buffer.concat([cipher.setAutoPadding(false).update(filled(clear, padding, noise)), cipher.final()])
}

describe.each(ENCRYPTION_ALGORITHMS)('%s', algorithm => {
  const { bits, mode } = modeOf(algorithm)
  const cipher = fieldCipher(algorithm, KEYS[bits])

  test('gives the bytes of a cipher of OpenSSL, for texts of every length in turn', () => {
    for (let length = 0; length <= 70; length++) {
      const [clear, iv, noise] = [bytes(length, 'text'), bytes(BLOCK, `iv ${length}`), bytes(BLOCK, 'noise')]
      const encrypted = cipher.encrypt(clear, iv, noise)
      expect(encrypted.toString('hex')).toBe(expected(algorithm, clear, iv, noise).toString('hex'))
      expect(cipher.decrypt(encrypted, iv)?.equals(clear)).toBe(true)
    }
  })

  test('decrypts what it encrypted, and changes neither text nor vector', () => {
    const ofBlock = fc.uint8Array({ minLength: BLOCK, maxLength: BLOCK })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), ofBlock, ofBlock, (clear, iv, noise) => {
        const [text, vector] = [Buffer.from(clear), Buffer.from(iv)]
        const encrypted = cipher.encrypt(clear, iv, noise)
        expect(cipher.decrypt(encrypted, iv)?.equals(text)).toBe(true)
        expect([text.equals(clear), vector.equals(iv)]).toEqual([true, true])
      }),
    )
  })

  test('a text that no encryption gives is noticed, if the algorithm has a padding', () => {
    const iv = bytes(BLOCK, 'iv')
    for (const length of [0, 1, 15, 17])
      expect(cipher.decrypt(bytes(length, 'x'), iv) === undefined).toBe(mode === 'CBC')
  })
})

test.each(['PKCS7', 'ANSIX923', 'ISO7816', 'ISO10126'] as const)(
  '%s: wrong paddings are refused',
  padding => {
    const cipher = fieldCipher(`AES-128-CBC-${padding}`, KEYS[128])
    const iv = Buffer.alloc(BLOCK)
    const closed = (clear: number[]) => {
      const encryption = createCipheriv('aes-128-cbc', KEYS[128], iv).setAutoPadding(false)
      return encryption.update(Buffer.from(clear))
    }
    const clearOf = (...end: number[]) => {
      const clear = cipher.decrypt(closed([...Array(BLOCK - end.length).fill(7), ...end]), iv)
      return clear?.length
    }
    const isIso = padding === 'ISO7816'
    expect(clearOf(isIso ? 1 : 0)).toBeUndefined()
    expect(clearOf(isIso ? 0x81 : 17)).toBeUndefined()
    expect(cipher.decrypt(closed(Array(32).fill(0)), iv)).toBeUndefined()
    expect(clearOf(2, 9, 3)).toBe(padding === 'ISO10126' ? 13 : undefined)
    expect(clearOf(0x80, 0, 1)).toBe(isIso ? undefined : 15)
    const right = { PKCS7: [3, 3, 3], ANSIX923: [0, 0, 3], ISO7816: [0x80, 0, 0], ISO10126: [0, 9, 3] }[
      padding
    ]
    expect(clearOf(...right)).toBe(13)
  },
)

test('the counter of CTR carries into its upper half, and ends after 64 bits', () => {
  const cipher = fieldCipher('AES-256-CTR', KEYS[256])
  for (const counter of [0xffffffffn, 0x1_ffff_fffen, 0xffff_ffff_ffff_ffffn]) {
    const iv = Buffer.alloc(BLOCK, 9)
    iv.writeBigUInt64LE(counter)
    const stream = cipher.encrypt(Buffer.alloc(5 * BLOCK), iv, Buffer.alloc(BLOCK))
    expect(stream.toString('hex')).toBe(countedStream(256, KEYS[256], iv, 5).toString('hex'))
  }
})

test('the first block of CTR is that of the usual mode, and the second is not', () => {
  const iv = bytes(BLOCK, 'iv')
  const usual = createCipheriv('aes-128-ctr', KEYS[128], iv).update(Buffer.alloc(2 * BLOCK))
  const ours = fieldCipher('AES-128-CTR', KEYS[128]).encrypt(Buffer.alloc(2 * BLOCK), iv, Buffer.alloc(BLOCK))
  expect(ours.subarray(0, BLOCK).equals(usual.subarray(0, BLOCK))).toBe(true)
  expect(ours.subarray(BLOCK).equals(usual.subarray(BLOCK))).toBe(false)
})

/** Made by `openssl enc` for `-K` and `-iv` with the text "The oven is at 231 degrees.". */
test.each([
  ['AES-128-CFB', '779a72c291f42a1dfe4d8ad28c62e2c7b5bd5f066e06e02efbd746'],
  ['AES-192-OFB', '77fbe801206ef7b672734086c1a026384a19fb091637257a80e7e5'],
  ['AES-256-CBC-PKCS7', '2870e672b71d8714d097ca641171eb5d05c56aa6bdfd4bf8643612b69f8fe764'],
] as const)('%s gives the bytes of the command of OpenSSL', (algorithm, hex) => {
  const { bits } = modeOf(algorithm)
  const iv = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  const clear = Buffer.from('The oven is at 231 degrees.')
  const encrypted = fieldCipher(algorithm, KEYS[bits]).encrypt(clear, iv, Buffer.alloc(BLOCK))
  expect(encrypted.toString('hex')).toBe(hex)
})
