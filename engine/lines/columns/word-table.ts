const FIRST_SLOTS = 256
const FIRST_POOL_BYTES = 4096

/**
 * The dictionary of a growing batch. Repeated words (apps, levels, hosts, files) are found by their bytes, so a word
 * costs one string per batch instead of one per line.
 */
export class WordTable {
  /** Entry 0 is the empty word. */
  #count = 1
  #slots = new Int32Array(FIRST_SLOTS)
  #hashes = new Int32Array(FIRST_SLOTS)
  /** End of each word in the pool; it begins where the previous one ends. */
  #ends = new Uint32Array(FIRST_SLOTS)
  #pool = Buffer.allocUnsafeSlow(FIRST_POOL_BYTES)
  /** Result of `internNumbered`; number 0 is the empty word. */
  #numbered = new Uint32Array(FIRST_SLOTS)

  get count(): number {
    return this.#count
  }

  /** UTF-8 bytes of all words. */
  get bytes(): number {
    return this.#ends[this.#count - 1] as number
  }

  /** @returns the index of the word with these bytes (UTF-8); 0 for an empty one */
  intern(source: Uint8Array, start: number, end: number): number {
    if (start === end) return 0
    let hash = 0x811c9dc5
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (source[at] as number), 0x01000193)
    hash ^= hash >>> 15
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const index = this.#slots[slot] as number
      if (index === 0) return this.#add(source, start, end, hash, slot)
      if (this.#hashes[index] === hash && this.#equals(index, source, start, end)) return index
      slot = (slot + 1) & mask
    }
  }

  internText(text: string): number {
    if (text === '') return 0
    const bytes = Buffer.from(text)
    return this.intern(bytes, 0, bytes.length)
  }

  /** @returns for each index of another table the index of the same word here */
  internAll(other: WordTable): Uint32Array {
    const indexes = new Uint32Array(other.#count)
    for (let index = 1; index < other.#count; index++)
      indexes[index] = this.intern(
        other.#pool,
        other.#ends[index - 1] as number,
        other.#ends[index] as number,
      )
    return indexes
  }

  /**
   * Adds words that a reader has numbered from 1 on.
   *
   * @param places first byte and length of each word in `source`, at twice its number
   * @returns for each number the index of the word here; a view, valid until the next call
   */
  internNumbered(source: Uint8Array, places: Uint32Array, count: number): Uint32Array {
    if (count >= this.#numbered.length) this.#numbered = new Uint32Array(2 * count)
    const indexes = this.#numbered
    for (let number = 1; number <= count; number++) {
      const start = places[2 * number] as number
      indexes[number] = this.intern(source, start, start + (places[2 * number + 1] as number))
    }
    return indexes
  }

  texts(): string[] {
    const texts = ['']
    for (let index = 1; index < this.#count; index++)
      texts.push(this.#pool.toString('utf8', this.#ends[index - 1] as number, this.#ends[index] as number))
    return texts
  }

  /** Forgets every word from that index on. */
  truncate(count: number): void {
    if (count === this.#count) return
    this.#count = count
    this.#slots.fill(0)
    for (let index = 1; index < count; index++) this.#place(index)
  }

  #equals(index: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.#ends[index - 1] as number
    const length = end - start
    if ((this.#ends[index] as number) - from !== length) return false
    const pool = this.#pool
    for (let at = 0; at < length; at++) if (pool[from + at] !== source[start + at]) return false
    return true
  }

  #add(source: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const index = this.#count++
    const from = this.#ends[index - 1] as number
    const length = end - start
    if (from + length > this.#pool.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#pool.length * 2, from + length))
      grown.set(this.#pool.subarray(0, from))
      this.#pool = grown
    }
    this.#pool.set(source.subarray(start, end), from)
    this.#hashes[index] = hash
    this.#ends[index] = from + length
    this.#slots[slot] = index
    if (this.#count * 2 > this.#slots.length) this.#grow()
    return index
  }

  #grow(): void {
    const size = this.#slots.length * 2
    this.#slots = new Int32Array(size)
    const hashes = new Int32Array(size)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    const ends = new Uint32Array(size)
    ends.set(this.#ends)
    this.#ends = ends
    for (let index = 1; index < this.#count; index++) this.#place(index)
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1
    let slot = (this.#hashes[index] as number) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = index
  }
}
