import type { Entropy } from '../entropy/entropy.ts'

/** Ten hexadecimal digits, the id of accounts, enterprises, keys and other records that clients know by a short id. */
export function newShortId(entropy: Entropy): string {
  return entropy.bytes(5).toString('hex')
}

/**
 * An access token: clients distinguish tokens from keys by this form (configuration and account API, section 2.2).
 *
 * @param prefix sta: personal, sts: service account, ste: enterprise service account
 */
export function newToken(prefix: 'sta' | 'sts' | 'ste', entropy: Entropy): string {
  return `${prefix}_${entropy.bytes(20).toString('hex')}`
}

/** An ingestion or service key, or an access key of a gateway route: 32 hexadecimal digits. */
export function newKey(entropy: Entropy): string {
  return entropy.bytes(16).toString('hex')
}
