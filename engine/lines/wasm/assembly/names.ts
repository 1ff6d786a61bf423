import { areEqual, copyBytes, hashOf } from './bytes'
import { QUOTE } from './characters'
import { nameOf, standingOf } from './host'
import {
  BUCKET_SLOTS,
  MAX_NAMES,
  NAME_BUCKETS,
  NAME_BYTES,
  NAME_BYTES_LENGTH,
  NAME_SIZE,
  NAME_SLOT_BYTES,
  NAME_SLOTS,
  NAMES,
  SLOT_SIZE,
} from './layout'

/** The name is not known to be accepted today: the row falls back, so that the program accepts names in the order of lines. */
const NEW: u32 = 0
export const ACCEPTED: u32 = 1
/** All names of today are taken: its fields are left out until the names are forgotten. */
export const LEFT_OUT: u32 = 2

export const IS_LEVEL: u32 = 1
export const IS_MESSAGE: u32 = 2
export const IS_MSG: u32 = 4
/** The service gives every record a member of this name. */
export const IS_ALWAYS_OWN: u32 = 8
export const IS_APP: u32 = 16
// Kinds of texts of levels: the level itself, and the level in lower case.
export const IS_UPPER_LEVEL: u32 = 32
export const IS_LOWER_LEVEL: u32 = 64

/** A key below another one, in an account on a day. Levels are names, too: they have bytes and a number. */
@unmanaged
export class Name {
  /** Number of the name above it. */
  parent: u32
  /** Place of its bytes. */
  bytes: usize
  length: u32
  standing: u32
  kind: u32
  /** Members of the service whose presence leaves it out. */
  own: u32
  /** Bit of a key whose name in the record gets an underscore. */
  collides: u32
  /** Bit of the key that has this underscore itself. */
  underscored: u32
  /** Number of the last object with this key; of a shape the block that admitted it last. */
  object: u32
  /** The name that followed it last. */
  next: Name | null
  /** The first name in the last object below it. */
  child: Name | null
}

@unmanaged
class Slot {
  /** Part of the hash of the name. */
  tag: u32
  name: Name | null
}

let count: u32 = 0
let bytesEnd: usize = NAME_BYTES
let seed: u32 = 0
/** Slots that were looked at, for tests. */
export let probes: u64 = 0

export function nameCount(): u32 {
  return count
}

/** Forgets all names. Number 0 is not used. */
export function forgetNames(): void {
  memory.fill(NAME_SLOTS, 0, NAME_SLOT_BYTES)
  count = 1
  bytesEnd = NAME_BYTES
}

export function numberOf(name: Name): u32 {
  return <u32>((changetype<usize>(name) - NAMES) / NAME_SIZE)
}

export function nameAt(number: u32): Name {
  return changetype<Name>(NAMES + <usize>number * NAME_SIZE)
}

/** A name that no text says, above those of an account. @returns 0 when there is no room */
export function addRoot(): usize {
  return newName(0, 0, 0)
}

/** @returns 0 when there is no room */
export function addName(
  parent: u32,
  at: usize,
  length: u32,
  standing: u32,
  kind: u32,
  own: u32,
  collides: u32,
  underscored: u32,
): usize {
  const added = newName(parent, at, length)
  if (added === 0) return 0
  const name = changetype<Name>(added)
  name.standing = standing
  name.kind = kind
  name.own = own
  name.collides = collides
  name.underscored = underscored
  return isPlaced(name) ? added : 0
}

function newName(parent: u32, at: usize, length: u32): usize {
  if (count === <u32>MAX_NAMES || bytesEnd + length > NAME_BYTES + NAME_BYTES_LENGTH) return 0
  const name = nameAt(count++)
  memory.fill(changetype<usize>(name), 0, NAME_SIZE)
  name.parent = parent
  name.bytes = bytesEnd
  name.length = length
  copyBytes(bytesEnd, at, length)
  bytesEnd += length
  return changetype<usize>(name)
}

/** Puts all names into other slots. @returns false when one has no place there either */
export function reseed(newSeed: u32): bool {
  seed = newSeed
  memory.fill(NAME_SLOTS, 0, NAME_SLOT_BYTES)
  for (let number: u32 = 1; number < count; number++) {
    const name = nameAt(number)
    if (name.parent !== 0 && !isPlaced(name)) return false
  }
  return true
}

/** Number of the first bucket of a key, for tests. */
export function bucketOf(parent: u32, at: usize, length: u32): u32 {
  return <u32>firstBucket(hashOf(at, length, parent, seed))
}

// A name is in one of two buckets, so a search ends after both.

function firstBucket(hash: u64): usize {
  return <usize>(hash & (NAME_BUCKETS - 1))
}

/** Another one. */
function secondBucket(hash: u64): usize {
  return firstBucket(hash) ^ (<usize>((hash >> 17) & (NAME_BUCKETS - 1)) | 1)
}

function slotAt(bucket: usize, index: usize): Slot {
  return changetype<Slot>(NAME_SLOTS + (bucket * BUCKET_SLOTS + index) * SLOT_SIZE)
}

function tagOf(hash: u64): u32 {
  return <u32>(hash >> 32)
}

function isPlaced(name: Name): bool {
  const hash = hashOf(name.bytes, name.length, name.parent, seed)
  return isPlacedIn(firstBucket(hash), name, tagOf(hash)) || isPlacedIn(secondBucket(hash), name, tagOf(hash))
}

function isPlacedIn(bucket: usize, name: Name, tag: u32): bool {
  for (let index: usize = 0; index < BUCKET_SLOTS; index++) {
    const slot = slotAt(bucket, index)
    if (slot.name !== null) continue
    slot.tag = tag
    slot.name = name
    return true
  }
  return false
}

/** The name of these bytes below another one. @returns null when the row must fall back */
export function findName(parent: u32, at: usize, length: u32): Name | null {
  const hash = hashOf(at, length, parent, seed)
  const found = foundIn(firstBucket(hash), tagOf(hash), parent, at, length)
  if (found !== null) return found
  const other = foundIn(secondBucket(hash), tagOf(hash), parent, at, length)
  if (other !== null) return other
  return changetype<Name | null>(nameOf(parent, at, length))
}

function foundIn(bucket: usize, tag: u32, parent: u32, at: usize, length: u32): Name | null {
  for (let index: usize = 0; index < BUCKET_SLOTS; index++) {
    const slot = slotAt(bucket, index)
    const name = slot.name
    probes++
    if (name === null) return null
    if (slot.tag === tag && isName(name, parent, at, length)) return name
  }
  return null
}

function isName(name: Name, parent: u32, at: usize, length: u32): bool {
  return name.length === length && name.parent === parent && areEqual(name.bytes, at, length)
}

/** Whether the key at a place is this name, with the quote behind it. Programs mostly send keys in the same order. */
export function isKeyAt(name: Name, at: usize): bool {
  return load<u8>(at + name.length) === QUOTE && areEqual(name.bytes, at, name.length)
}

/** Standing of a name today. */
export function currentStanding(name: Name): u32 {
  if (name.standing === NEW) name.standing = standingOf(numberOf(name))
  return name.standing
}
