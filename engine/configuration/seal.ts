import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Entropy } from '../entropy/entropy.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const MARK_DIGITS = 8

/** A secret was encrypted with another key, or was altered. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** Encrypts stored secrets: AES-256-GCM with a fresh initialisation vector for each. */
export class Seal {
  readonly #key: KeyObject
  readonly #entropy: Entropy

  /** @param key 32 bytes */
  constructor(key: Buffer, entropy: Entropy) {
    if (key.length !== KEY_BYTES) throw new RangeError(`a secret key has 32 bytes, not ${key.length}`)
    this.#key = createSecretKey(key)
    this.#entropy = entropy
  }

  /** @param place place of the text; an encrypted text that was moved to another place cannot be decrypted */
  close(text: string, place: string): string {
    return this.#encrypt(text, place, this.#entropy.bytes(IV_BYTES))
  }

  /**
   * Works as `close`, but gives the same result for the same text in the same place: all processes send the same cut. The
   * initialisation vector follows from both, so two texts do not share one.
   */
  closeAlike(text: string, place: string): string {
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify(['iv', place, text]))
      .digest()
    return this.#encrypt(text, place, digest.subarray(0, IV_BYTES))
  }

  #encrypt(text: string, place: string, iv: Uint8Array): string {
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(place))
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')
  }

  /**
   * Replacement for a text that must not be shown: equal for equal texts, different for different ones. Without the key
   * it reveals neither the text nor whether a text in another place is the same.
   */
  mark(text: string, place: string): string {
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify(['mark', place, text]))
      .digest('hex')
    return `***${digest.slice(0, MARK_DIGITS)}`
  }

  /** Proof that the owner of the key wrote a text: HMAC-SHA-256, hexadecimal. */
  signature(text: string, place: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify(['signature', place, text]))
      .digest('hex')
  }

  /** @throws SealError */
  open(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8')
      return text + decipher.final('utf8')
    } catch (cause) {
      throw new SealError(
        `The secret at "${place}" cannot be decrypted: this configuration was written with another secret key`,
        { cause },
      )
    }
  }
}
