import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Entropy } from '../entropy/entropy.ts'
import { finish, joined, type Steps } from '../steps.ts'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const MARK_DIGITS = 8
/** Bytes that are encrypted or decrypted at once: less than a millisecond. */
const BYTES_AT_ONCE = 524_288

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
    return finish(this.closing(text, place))
  }

  /** Encrypts as `close`, in steps. */
  closing(text: string, place: string): Steps<string> {
    return this.#encrypting(text, place, this.#entropy.bytes(IV_BYTES))
  }

  /**
   * Works as `close`, but gives the same result for the same text in the same place: all processes send the same cut. The
   * initialisation vector follows from both, so two texts do not share one.
   */
  closeAlike(text: string, place: string): string {
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify(['iv', place, text]))
      .digest()
    return finish(this.#encrypting(text, place, digest.subarray(0, IV_BYTES)))
  }

  *#encrypting(text: string, place: string, iv: Uint8Array): Steps<string> {
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(place))
    const clear = Buffer.from(text)
    const encrypted: Buffer[] = []
    for (let from = 0; from < clear.length; from += BYTES_AT_ONCE) {
      if (from > 0) yield
      encrypted.push(cipher.update(clear.subarray(from, from + BYTES_AT_ONCE)))
    }
    encrypted.push(cipher.final())
    const bytes = yield* joined([iv, cipher.getAuthTag(), ...encrypted])
    return bytes.toString('base64')
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
    return finish(this.opening(sealed, place))
  }

  /** Decrypts as `open`, in steps. @throws SealError */
  *opening(sealed: string, place: string): Steps<string> {
    const bytes = Buffer.from(sealed, 'base64')
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      const clear: Buffer[] = []
      for (let from = IV_BYTES + TAG_BYTES; from < bytes.length; from += BYTES_AT_ONCE) {
        clear.push(decipher.update(bytes.subarray(from, from + BYTES_AT_ONCE)))
        yield
      }
      clear.push(decipher.final())
      return (yield* joined(clear)).toString()
    } catch (cause) {
      throw new SealError(
        `The secret at "${place}" cannot be decrypted: this configuration was written with another secret key. Set WEIR_SECRET_KEY to that key`,
        { cause },
      )
    }
  }
}
