/** Text in place of a secret. */
const HIDDEN = '[hidden]'
/** Kept part of an answer: components, section 7.1. */
const KEPT_BYTES = 1_024
/** A shorter part of base64 text occurs in other texts by chance. */
const MIN_BASE64_CHARACTERS = 6
/** Parts of an address that are shorter are words rather than keys. */
const MIN_SEGMENT_CHARACTERS = 8
const NAMED = /^\w+=/
const HTTP_ADDRESS = /^https?:/i

/**
 * Removes secrets from a text of another system, before the text is kept or shown: a server may repeat the headers or the
 * address of a request. Secrets are found as they are, as JSON text, percent-encoded and in base64.
 *
 * @param secrets values of secret options; of an address, its user, password, path and query count
 */
export function withoutEchoes(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap(partsOf).flatMap(formsOf))
  let shown = text
  // Longer forms first: a form may contain another one.
  for (const form of [...forms].toSorted((one, other) => other.length - one.length))
    shown = shown.replaceAll(form, HIDDEN)
  return shown
}

/** The beginning of an answer that may be kept and shown, without the secrets of the request. */
export function keptAnswer(body: string, secrets: readonly string[]): string {
  const shown = withoutEchoes(body, secrets)
  return Buffer.byteLength(shown) <= KEPT_BYTES
    ? shown
    : new TextDecoder().decode(Buffer.from(shown).subarray(0, KEPT_BYTES), { stream: true })
}

/** A secret, and the parts of an address or of a connection string that can be secret alone. */
function partsOf(secret: string): string[] {
  if (!HTTP_ADDRESS.test(secret) || !URL.canParse(secret)) return [secret, ...namedValues(secret)]
  const { username, password, pathname, search, searchParams } = new URL(secret)
  return [
    secret,
    `${pathname}${search}`,
    ...[username, password].flatMap(part => [part, decoded(part)]),
    ...pathname.split('/').filter(({ length }) => length >= MIN_SEGMENT_CHARACTERS),
    ...searchParams.values(),
  ].filter(part => part !== '' && part !== '/')
}

/** Values of a text such as `AccountKey=a2V5;SharedAccessSignature=sv=1&sig=b`; empty for another text. */
function namedValues(text: string): string[] {
  const members = text.split(';').filter(member => member !== '')
  if (!members.every(member => NAMED.test(member))) return []
  return members
    .map(member => member.replace(NAMED, ''))
    .flatMap(value => [value, ...new URLSearchParams(value).values()])
    .filter(({ length }) => length >= MIN_SEGMENT_CHARACTERS)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function formsOf(secret: string): string[] {
  if (secret === '') return []
  const percent = encodeURIComponent(secret.toWellFormed())
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, code => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    ...base64Forms(Buffer.from(secret)),
  ]
}

/**
 * Parts of base64 texts that contain the secret, whatever stands before it. They leave out the characters that also depend
 * on the bytes beside it.
 */
function base64Forms(secret: Buffer): string[] {
  const forms = [0, 1, 2].flatMap(before => {
    const first = Math.ceil((before * 8) / 6)
    const end = Math.floor(((before + secret.length) * 8) / 6)
    const bytes = Buffer.concat([Buffer.alloc(before), secret])
    return (['base64', 'base64url'] as const).map(form => bytes.toString(form).slice(first, end))
  })
  return forms.filter(({ length }) => length >= MIN_BASE64_CHARACTERS)
}
