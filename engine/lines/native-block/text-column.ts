import { bytePool } from '../../memory/byte-pool.ts'
import { copied, type Steps } from '../../steps.ts'
import { lengthSize, MAX_LENGTH_BYTES, writeLength } from '../columns/text-lengths.ts'
import { nextCapacity, room } from './column-buffers.ts'
import type { NativeColumn } from './native-block.ts'

const INITIAL_TEXT_BYTES = 256
/** Below this size a loop is faster than a call into the runtime. */
const SHORT_BYTES = 24
const SHORT_TEXT = 24

/** String: each value is its length as a varint, then its bytes. */
export class TextColumn implements NativeColumn {
  #buffer: Buffer = Buffer.alloc(0)
  #capacity = INITIAL_TEXT_BYTES
  #at = 0

  get bytes(): number {
    return this.#at
  }

  appendEmpty(): void {
    if (this.#at === this.#buffer.length) this.#reserve(1)
    this.#buffer[this.#at++] = 0
  }

  appendRepeated(text: string, count: number): void {
    if (text !== '') for (let left = count; left > 0; left--) this.append(text)
    else {
      if (this.#at + count > this.#buffer.length) this.#reserve(count)
      this.#buffer.fill(0, this.#at, this.#at + count)
      this.#at += count
    }
  }

  appendBytes(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#at + length + MAX_LENGTH_BYTES > this.#buffer.length) this.#reserve(length + MAX_LENGTH_BYTES)
    const buffer = this.#buffer
    let at = writeLength(buffer, this.#at, length)
    if (length < SHORT_BYTES) for (let from = start; from < end; from++) buffer[at++] = bytes[from] as number
    else {
      buffer.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), at)
      at += length
    }
    this.#at = at
  }

  /** Makes room for values of so many UTF-16 units together, in steps. */
  *makingRoom(count: number, units: number): Steps {
    const most = units * 3 + count * MAX_LENGTH_BYTES
    if (this.#at + most <= this.#buffer.length) return
    const next = room(Math.max(this.#capacity, this.#buffer.length * 2, this.#at + most))
    yield* copied(this.#buffer.subarray(0, this.#at), next)
    bytePool.giveBack(this.#buffer.buffer)
    this.#buffer = next
  }

  /** Appends values that already have their lengths before them. */
  appendEncoded(bytes: Uint8Array): void {
    if (this.#at + bytes.length > this.#buffer.length) this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  append(text: string): void {
    const { length } = text
    if (length === 0) {
      this.appendEmpty()
      return
    }
    const most = length * 3 + MAX_LENGTH_BYTES
    if (this.#at + most > this.#buffer.length) this.#reserve(most)
    if (length < SHORT_TEXT && this.#appendShortAscii(text)) return
    const buffer = this.#buffer
    const guess = lengthSize(length)
    const start = this.#at + guess
    const bytes = buffer.write(text, start)
    const actual = lengthSize(bytes)
    if (actual !== guess) buffer.copyWithin(this.#at + actual, start, start + bytes)
    writeLength(buffer, this.#at, bytes)
    this.#at += actual + bytes
  }

  take(): Uint8Array[] {
    const taken = this.#buffer.subarray(0, this.#at)
    this.#capacity = nextCapacity(this.#at, INITIAL_TEXT_BYTES)
    this.#buffer = Buffer.alloc(0)
    this.#at = 0
    return [taken]
  }

  #appendShortAscii(text: string): boolean {
    const buffer = this.#buffer
    const { length } = text
    const start = this.#at + 1
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index)
      if (unit >= 0x80) return false
      buffer[start + index] = unit
    }
    buffer[this.#at] = length
    this.#at = start + length
    return true
  }

  #reserve(more: number): void {
    const next = room(Math.max(this.#capacity, this.#buffer.length * 2, this.#at + more))
    next.set(this.#buffer.subarray(0, this.#at))
    bytePool.giveBack(this.#buffer.buffer)
    this.#buffer = next
  }
}
