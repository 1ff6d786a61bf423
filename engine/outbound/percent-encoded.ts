/** Characters that `encodeURIComponent` leaves and RFC 3986 does not. */
const RESERVED = /[!'()*]/g

/** Encodes every character but letters, digits and `-._~`, as RFC 3986 demands of a part of an address. */
export function percentEncoded(text: string): string {
  // Half of a surrogate pair has no encoding.
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    RESERVED,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
