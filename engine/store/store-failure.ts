import { type DamagedPart, damageSentence } from './store-damage.ts'
import { StoreError, type StoreErrorCode } from './store-error.ts'

/** Beginning of the message of a fenced statement, which the statement itself contains. */
export const FENCED = 'fenced: another owner has taken the partition'

/** Codes of the engine (src/Common/ErrorCodes.cpp). */
const FUNCTION_THROW_IF = 395
/** Codes of statements that the engine or its guard refused before they began. */
const TURNED_AWAY = new Set([
  202, // too many simultaneous queries
  252, // too many parts: the merges must catch up first
  241, // memory limit: the block is written only after all of it was read
  243, // space is insufficient: checked before the part is written
  242, // table is read-only
  516, // authentication failed: an operator may correct it
])
/** Codes of statements that were ended, or not finished, for a reason of that moment. A read can be repeated. */
const ENDED_EARLY = new Set([
  75, // a write of a file failed: the disk is full or has an error
  173, // cannot allocate memory
  209, // the socket timed out
  210, // network error
  236, // aborted
  394, // the statement was cancelled
  439, // cannot schedule a task: threads are insufficient
  473, // a lock was not free in time
  735, // the client cancelled the statement
])
/** The statement itself is wrong, and a retry fails as well. */
const WRONG_STATEMENT = new Set([
  6, // cannot parse text
  16, // no such column in table
  20, // number of columns does not match
  27, // cannot parse input
  33, // cannot read all data
  36, // bad arguments
  43, // illegal type of argument
  47, // unknown identifier
  53, // type mismatch
  60, // unknown table
  62, // syntax error
  81, // unknown database
  115, // unknown setting
  497, // access denied
])
/** The connection was never established. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'])

/** Outcome of a failed insert. Unless it certainly stored nothing, the outcome counts as unknown. */
export function insertFailure(error: unknown): StoreError {
  const damaged = damagedPartIn(error)
  // The damaged part was read for the fence, before anything is written.
  if (damaged !== undefined) return damageFailure(damaged, error)
  const [code, retriable] = insertOutcome(error)
  return new StoreError(code, messageOf(error), { retriable, cause: error })
}

function insertOutcome(error: unknown): [StoreErrorCode, boolean] {
  const code = engineCode(error)
  if (code === FUNCTION_THROW_IF) return ['FENCED', false]
  if (code === undefined ? neverSent(error) : TURNED_AWAY.has(code)) return ['UNAVAILABLE', true]
  if (code !== undefined && WRONG_STATEMENT.has(code)) return ['STATEMENT_FAILED', false]
  return ['OUTCOME_UNKNOWN', true]
}

/** Reason why a statement that stores no lines failed. */
export function statementFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const code = engineCode(error)
  if (code === FUNCTION_THROW_IF && messageOf(error).includes(FENCED))
    return new StoreError('FENCED', messageOf(error), { cause: error })
  const damaged = damagedPartIn(error)
  if (damaged !== undefined) return damageFailure(damaged, error)
  const unavailable =
    code === undefined ? !(error instanceof TypeError) : TURNED_AWAY.has(code) || ENDED_EARLY.has(code)
  return new StoreError(unavailable ? 'UNAVAILABLE' : 'STATEMENT_FAILED', messageOf(error), {
    retriable: unavailable,
    cause: error,
  })
}

const TOO_MANY_ROWS = 158

/** Whether a statement was ended because of more groups than its setting `max_rows_to_group_by` allows. */
export function hadTooManyGroups(error: unknown): boolean {
  return error instanceof StoreError && engineCode(error.cause) === TOO_MANY_ROWS
}

/** Codes of the engine for a file with unexpected content. */
const DAMAGED_FILE = new Set([
  32, // attempt to read after the end of a file
  33, // cannot read all data
  39, // too large a compressed block, according to its head
  40, // checksum does not match
  74, // the disk gives an error instead of bytes
  87, // no such place in a file
  89, // unknown method of compression
  91, // sizes of marks do not match
  107, // file does not exist
  117, // incorrect data
  226, // no such file in a part
  227, // an additional file in a part
  228, // wrong size of a file in a part
  246, // corrupted data
  271, // cannot decompress
  274, // the disk gives an error instead of bytes
  432, // unknown codec, read from the head of a block
  740, // a part that may be broken
])
/** Codes that only files of the store can cause, even without a path. */
const SURELY_DAMAGED = new Set([40, 226, 228, 246])
const CANNOT_OPEN_FILE = 76
/** Numbers of the system for a missing file, and for an error of the disk. */
const DAMAGED_ERRNO = /\berrno: (2|5)\b/
/** Path of the file that the engine was reading. */
const FILE_READ = /While reading or decompressing ([^\s()]+)/
const PART_READ = /while reading from part ([^\s()]+)/
const TABLE_READ = /\bin table (?:\w+\.)?(\w+)/
/** Name of a part: its day or another name of its partition, its first and last block, and its number of merges. */
const PART_NAME = /(?<=\/)\w+_\d+_\d+_\d+(?:_\d+)?(?=\/|$)/g
/** Path of a part's file in an error, for instance of a file that cannot be opened. */
const STORE_PATH = /\/[^\s,"'()]*\/store\/[^\s,"'()]+/
const FIRST_SENTENCE = /^.*?(?=[.:] |$)/s

/** The part that a statement could not read; undefined when it failed for another reason. */
function damagedPartIn(error: unknown): DamagedPart | undefined {
  const code = engineCode(error)
  const message = messageOf(error)
  const isUnopened = code === CANNOT_OPEN_FILE && DAMAGED_ERRNO.test(message)
  if (code === undefined || !(DAMAGED_FILE.has(code) || isUnopened)) return undefined
  const path =
    (FILE_READ.exec(message) ?? PART_READ.exec(message))?.[1] ?? STORE_PATH.exec(message)?.[0] ?? ''
  const part = path.match(PART_NAME)?.at(-1) ?? ''
  // Blocks and texts that are not files of the store cause the same codes.
  if (part === '' && !SURELY_DAMAGED.has(code)) return undefined
  return { table: TABLE_READ.exec(message)?.[1] ?? '', part, state: 'unreadable' }
}

function damageFailure(damaged: DamagedPart, cause: unknown): StoreError {
  return new StoreError('STORE_DAMAGED', damageSentence(damaged), { damaged, cause })
}

/** Error of a failed audit. A damaged file is a result of the audit, so the error names it with the remedy. */
export function auditFailure(error: unknown): StoreError {
  const code = engineCode(error)
  if (code === undefined || !DAMAGED_FILE.has(code)) return statementFailure(error)
  const message = messageOf(error)
  const place = (FILE_READ.exec(message) ?? PART_READ.exec(message))?.[1] ?? 'a file of the store'
  return new StoreError(
    'STORE_DAMAGED',
    `${place} is damaged: its lines cannot be read, and the disk may have damaged more. Look at the log of the ` +
      'system, keep a copy of the data folder as it is, then restore the newest backup on which "weir verify" says OK, ' +
      `on a disk that is sound. The engine says: ${FIRST_SENTENCE.exec(message)?.[0]}`,
    { cause: error },
  )
}

/** Codes of an available server that refuses: only an operator can solve this. */
const REFUSALS: ReadonlyMap<number, StoreErrorCode> = new Map([
  [516, 'LOGIN_REFUSED'], // authentication failed
  [192, 'LOGIN_REFUSED'], // unknown user
  [193, 'LOGIN_REFUSED'], // wrong password
  [194, 'LOGIN_REFUSED'], // password required
  [81, 'DATABASE_MISSING'],
  [497, 'RIGHT_MISSING'], // access denied
])
const CERTIFICATE_CODE = /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY))/

/**
 * Reason why the store could not be opened: retriable if a server is unavailable, not if it, or its certificate, refuses.
 */
export function openFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const code = engineCode(error)
  const refusal = code === undefined ? certificateTrouble(error) : REFUSALS.get(code)
  if (refusal === undefined) return statementFailure(error)
  return new StoreError(refusal, messageOf(error), { cause: error })
}

function certificateTrouble(error: unknown): StoreErrorCode | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && CERTIFICATE_CODE.test(code) ? 'NOT_TRUSTED' : undefined
}

/** The engine's error code, from the client's error or from the text of an error in a stream. */
function engineCode(error: unknown): number | undefined {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^\d+$/.test(code)) return Number(code)
  const match = /\bCode: (\d+)\b/.exec(messageOf(error))
  return match === null ? undefined : Number(match[1])
}

function neverSent(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && (NEVER_SENT.has(code) || code === 'ENOSPC')
}

function messageOf(error: unknown): string {
  // A name with several addresses, such as localhost: the common error has no message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
