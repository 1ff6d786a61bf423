import { hash as digest } from 'node:crypto'
import { capacityFor, grown, nextCapacity } from '../../../growing-columns.ts'
import { finish, type Steps } from '../../../steps.ts'
import type { KeptKey } from '../../contract/buckets.ts'
import type { ColumnReader, ColumnWriter } from './columns.ts'
import { KeyArena, MAX_KEY_UNITS } from './key-arena.ts'

/** Buckets that are put into the index in one stretch: less than a millisecond. */
const INDEXED_AT_ONCE = 8_192
const START_CAPACITY = 16
const START_SLOTS = 16
const MAX_LOAD = 0.75

/** Longest key that is stored unchanged, in bytes of UTF-8. */
const MAX_KEY_BYTES = MAX_KEY_UNITS
const LENGTH_MASK = 0x3ff
const WIDE = 0x8000
const DIGEST = 0x4000

export const NO_BUCKET = 0
/** Bucket of events without a value at the key field. */
export const DEFAULT_BUCKET = 1
/** Bucket of keys without room for a bucket of their own. */
export const OVERFLOW_BUCKET = 2
const FIRST_KEYED = 3

/**
 * Buckets by the exact text of their key, in flat columns. There is an open-addressing index over 32-bit hashes, an
 * arena with the texts, and a list in the order of last use. A bucket takes 32 bytes in addition to index and text.
 *
 * The hash is seeded, so a sender who does not know the seed cannot choose keys that collide. The seed affects only
 * speed, never a result.
 */
export class BucketTable {
  /** First and last run of the bucket's log. */
  firstRun = new Uint32Array(START_CAPACITY)
  lastRun = new Uint32Array(START_CAPACITY)
  /** Runs after the first; a bucket without a first run has no others. */
  moreRuns = new Uint16Array(START_CAPACITY)
  /** Sum of the counts of its runs. */
  total = new Uint32Array(START_CAPACITY)
  /** Number of buckets with a key. */
  size = 0
  /** The least recently used bucket with a key. */
  oldest = NO_BUCKET
  #newest = NO_BUCKET
  #older = new Uint32Array(START_CAPACITY)
  /** The next more recently used bucket; for a released bucket the next released one. */
  #newer = new Uint32Array(START_CAPACITY)
  #hashes = new Uint32Array(START_CAPACITY)
  #keyAt = new Uint32Array(START_CAPACITY)
  /** Number of code units, and whether they have two bytes each or are those of a digest. */
  #keyForm = new Uint16Array(START_CAPACITY)
  #slots = new Uint32Array(START_SLOTS)
  #keys = new KeyArena()
  #end = FIRST_KEYED
  #free = NO_BUCKET
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  find(key: string): number {
    if (mayBeTooLong(key)) return this.#findForm(...keptForm(key))
    return this.#findForm(key, 0)
  }

  /** Hash of a key with 32 bits, the same in every table of the same seed. */
  hashOf(key: string): number {
    return this.#hash(mayBeTooLong(key) ? keptForm(key)[0] : key)
  }

  /** Hash of a bucket's key. */
  hashAt(bucket: number): number {
    return this.#hashes[bucket] as number
  }

  /** The bucket with the key of a bucket in another table of the same seed. */
  findSame(source: BucketTable, bucket: number): number {
    const { text, isDigest } = source.keyAt(bucket)
    return this.#findForm(text, isDigest ? DIGEST : 0)
  }

  /** The key of a bucket in its stored form. */
  keyAt(bucket: number): KeptKey {
    const form = this.#keyForm[bucket] as number
    const text = this.#keys.text(this.#keyAt[bucket] as number, form & LENGTH_MASK, (form & WIDE) !== 0)
    return { text, isDigest: (form & DIGEST) !== 0 }
  }

  /** Adds a bucket as the most recently used one. The key must not be present. */
  insert(key: string): number {
    const [text, digested] = mayBeTooLong(key) ? keptForm(key) : ([key, 0] as const)
    if (this.#keys.sparse) this.#repackKeys()
    if ((this.size + 1) / this.#slots.length > MAX_LOAD) this.#rebuildIndex(this.#slots.length * 2)
    const bucket = this.#allocate()
    const wide = isWide(text)
    const hash = this.#hash(text)
    this.#hashes[bucket] = hash
    this.#keyForm[bucket] = text.length | digested | (wide ? WIDE : 0)
    this.#keyAt[bucket] = this.#keys.store(text, wide)
    this.#slots[this.#emptySlot(hash)] = bucket
    this.#linkNewest(bucket)
    this.size++
    return bucket
  }

  /** The bucket's runs must have been released. */
  remove(bucket: number): void {
    this.#unlink(bucket)
    this.#clearSlot(bucket)
    const form = this.#keyForm[bucket] as number
    this.#keys.release(this.#keyAt[bucket] as number, form & LENGTH_MASK, (form & WIDE) !== 0)
    this.#newer[bucket] = this.#free
    this.#free = bucket
    this.size--
  }

  /** Makes it the most recently used one. */
  touch(bucket: number): void {
    if (bucket === this.#newest) return
    this.#unlink(bucket)
    this.#linkNewest(bucket)
  }

  /** Buckets with a key, least recently used first. */
  *inOrderOfUse(): Generator<number> {
    for (let bucket = this.oldest; bucket !== NO_BUCKET; bucket = this.#newer[bucket] as number) yield bucket
  }

  /** The bucket that was used next after one, or `NO_BUCKET`. */
  after(bucket: number): number {
    return this.#newer[bucket] as number
  }

  /** An empty table with enough room for the keys of this one: see `adopt`. */
  emptyCopy(): BucketTable {
    return new BucketTable(this.#seed)
  }

  /** Adds a bucket as the most recently used one, with the key of a bucket in another table of the same seed. */
  adopt(source: BucketTable, bucket: number): number {
    if ((this.size + 1) / this.#slots.length > MAX_LOAD) this.#rebuildIndex(this.#slots.length * 2)
    const copy = this.#allocate()
    const form = source.#keyForm[bucket] as number
    this.#hashes[copy] = source.#hashes[bucket] as number
    this.#keyForm[copy] = form
    const at = source.#keyAt[bucket] as number
    this.#keyAt[copy] = this.#keys.copyFrom(source.#keys, at, form & LENGTH_MASK, (form & WIDE) !== 0)
    this.#slots[this.#emptySlot(this.#hashes[copy] as number)] = copy
    this.#linkNewest(copy)
    this.size++
    return copy
  }

  /** Bytes of columns and index, without the texts of the keys. */
  get byteLength(): number {
    const wide = [
      this.firstRun,
      this.lastRun,
      this.total,
      this.#older,
      this.#newer,
      this.#hashes,
      this.#keyAt,
    ]
    const narrow = [this.moreRuns, this.#keyForm]
    return [...wide, ...narrow, this.#slots].reduce((sum, column) => sum + column.byteLength, 0)
  }

  get keyByteLength(): number {
    return this.#keys.byteLength
  }

  /** The first number that was never used for a bucket; a released one has not passed anything. */
  get end(): number {
    return this.#end
  }

  /** Number of used and released buckets: the size of a copy of the columns. */
  get extent(): number {
    return this.#end - FIRST_KEYED
  }

  write(writer: ColumnWriter): void {
    writer.numbers(this.#seed, this.size, this.oldest, this.#newest, this.#end, this.#free)
    for (const column of this.#columns()) writer.column(column, this.#end)
    this.#keys.write(writer)
  }

  static *read(reader: ColumnReader): Steps<BucketTable> {
    const [seed = 0, size = 0, oldest = 0, newest = 0, end = FIRST_KEYED, free = 0] = reader.numbers(6)
    const table = new BucketTable(seed)
    table.size = size
    table.oldest = oldest
    table.#newest = newest
    table.#end = end
    table.#free = free
    table.#growColumns(capacityFor(end, START_CAPACITY))
    for (const column of table.#columns()) yield* reader.reading(column, end)
    table.#keys = yield* KeyArena.read(reader)
    let slots = START_SLOTS
    while (size / slots > MAX_LOAD) slots *= 2
    yield* table.#indexing(slots)
    return table
  }

  #columns() {
    const { firstRun, lastRun, moreRuns, total } = this
    const keys = [this.#hashes, this.#keyAt, this.#keyForm]
    return [firstRun, lastRun, moreRuns, total, this.#older, this.#newer, ...keys]
  }

  #findForm(text: string, digested: number): number {
    const hash = this.#hash(text)
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const bucket = slots[slot] as number
      if (bucket === NO_BUCKET) return NO_BUCKET
      if (this.#hashes[bucket] === hash && this.#hasKey(bucket, text, digested)) return bucket
    }
  }

  #hasKey(bucket: number, text: string, digested: number): boolean {
    const form = this.#keyForm[bucket] as number
    if ((form & (LENGTH_MASK | DIGEST)) !== (text.length | digested)) return false
    return this.#keys.holds(this.#keyAt[bucket] as number, (form & WIDE) !== 0, text)
  }

  #hash(text: string): number {
    let hash = this.#seed
    for (let unit = 0; unit < text.length; unit++) {
      hash = Math.imul(hash ^ text.charCodeAt(unit), 0x01000193)
      hash = (hash << 13) | (hash >>> 19)
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }

  #emptySlot(hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== NO_BUCKET) slot = (slot + 1) & mask
    return slot
  }

  /** Moves later entries of the same stretch up, so that no search ends at the gap. */
  #clearSlot(bucket: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let gap = (this.#hashes[bucket] as number) & mask
    while (slots[gap] !== bucket) gap = (gap + 1) & mask
    for (let slot = (gap + 1) & mask; slots[slot] !== NO_BUCKET; slot = (slot + 1) & mask) {
      const home = (this.#hashes[slots[slot] as number] as number) & mask
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue
      slots[gap] = slots[slot] as number
      gap = slot
    }
    slots[gap] = NO_BUCKET
  }

  #rebuildIndex(slots: number): void {
    finish(this.#indexing(slots))
  }

  /** Builds the index anew, in stretches. */
  *#indexing(slots: number): Steps {
    this.#slots = new Uint32Array(slots)
    let indexed = 0
    for (let bucket = this.oldest; bucket !== NO_BUCKET; bucket = this.#newer[bucket] as number) {
      this.#slots[this.#emptySlot(this.#hashes[bucket] as number)] = bucket
      if (++indexed % INDEXED_AT_ONCE === 0) yield
    }
  }

  #repackKeys(): void {
    const packed = new KeyArena()
    for (const bucket of this.inOrderOfUse()) {
      const form = this.#keyForm[bucket] as number
      const at = this.#keyAt[bucket] as number
      this.#keyAt[bucket] = packed.copyFrom(this.#keys, at, form & LENGTH_MASK, (form & WIDE) !== 0)
    }
    this.#keys = packed
  }

  #linkNewest(bucket: number): void {
    this.#older[bucket] = this.#newest
    this.#newer[bucket] = NO_BUCKET
    if (this.#newest === NO_BUCKET) this.oldest = bucket
    else this.#newer[this.#newest] = bucket
    this.#newest = bucket
  }

  #unlink(bucket: number): void {
    const older = this.#older[bucket] as number
    const newer = this.#newer[bucket] as number
    if (older === NO_BUCKET) this.oldest = newer
    else this.#newer[older] = newer
    if (newer === NO_BUCKET) this.#newest = older
    else this.#older[newer] = older
  }

  #allocate(): number {
    let bucket = this.#free
    if (bucket === NO_BUCKET) {
      if (this.#end === this.total.length) this.#growColumns(nextCapacity(this.total.length))
      bucket = this.#end++
    } else {
      this.#free = this.#newer[bucket] as number
    }
    this.firstRun[bucket] = 0
    this.lastRun[bucket] = 0
    this.moreRuns[bucket] = 0
    this.total[bucket] = 0
    return bucket
  }

  #growColumns(capacity: number): void {
    this.firstRun = grown(this.firstRun, capacity)
    this.lastRun = grown(this.lastRun, capacity)
    this.moreRuns = grown(this.moreRuns, capacity)
    this.total = grown(this.total, capacity)
    this.#older = grown(this.#older, capacity)
    this.#newer = grown(this.#newer, capacity)
    this.#hashes = grown(this.#hashes, capacity)
    this.#keyAt = grown(this.#keyAt, capacity)
    this.#keyForm = grown(this.#keyForm, capacity)
  }
}

function mayBeTooLong(key: string): boolean {
  return key.length * 3 > MAX_KEY_BYTES // A code unit takes three bytes of UTF-8 at most.
}

/** A long key is kept as its SHA-256; the flag distinguishes it from a key with the same text. */
function keptForm(key: string): readonly [text: string, digested: number] {
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return [key, 0]
  // UTF-8 cannot encode half a surrogate pair; two such keys must not become one.
  const bytes = key.isWellFormed() ? Buffer.from(key) : Buffer.from(key, 'utf16le')
  return [digest('sha256', bytes), DIGEST]
}

function isWide(text: string): boolean {
  for (let unit = 0; unit < text.length; unit++) {
    if (text.charCodeAt(unit) > 0xff) return true
  }
  return false
}
