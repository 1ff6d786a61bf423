/** Place in a request that may contain the access key of its gateway route. */
export type KeyPlace = KeyHeader | KeyParameter

export interface KeyHeader {
  /** Name in lower case. */
  readonly header: string
  /**
   * Word before the key, in lower case; requests may write it in any case. After `basic`, the key is the password of any
   * user. Absent: the whole value is the key.
   */
  readonly scheme?: string
}

export interface KeyParameter {
  /** Name of a query parameter. */
  readonly parameter: string
}

/** Places of sources that have no places of their own (components, section 6.1). */
export const COMMON_KEY_PLACES: readonly KeyPlace[] = [
  { header: 'authorization', scheme: 'bearer' },
  { header: 'authorization' },
  { header: 'apikey' },
]
