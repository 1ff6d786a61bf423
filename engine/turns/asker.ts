/** Account and enterprise for which a request is made. Enterprises take turns, and within an enterprise its accounts. */
export interface Asker {
  /** Short id; empty: the program itself. */
  readonly account: string
  /** Enterprise of the account; the account itself if it belongs to none. */
  readonly enterprise: string
}

/** Separates the parts of a key; no id contains it. */
const IN_KEY = '/'

/** Text for an asker, which another process reads with `askerOfKey`. */
export function keyOfAsker({ account, enterprise }: Asker): string {
  return enterprise === account ? account : `${enterprise}${IN_KEY}${account}`
}

/** The asker for a text; a text without an enterprise is that of an account which stands for itself. */
export function askerOfKey(key: string): Asker {
  const end = key.indexOf(IN_KEY)
  return end < 0
    ? { account: key, enterprise: key }
    : { account: key.slice(end + 1), enterprise: key.slice(0, end) }
}
