/** Wire types of Protocol Buffers. */
const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2

const DOUBLE_BYTES = 8
const SEVEN_BITS = 0x80
const MAX_INT_32 = 0x7fffffff

/** Writes fields of Protocol Buffers into a buffer of known length. Numbers of fields are below 16, so a tag is one byte. */
export class ProtobufWriter {
  readonly bytes: Buffer
  #at = 0

  constructor(length: number) {
    // Bytes that are kept must not keep those of others.
    this.bytes = Buffer.allocUnsafeSlow(length)
  }

  /** Begins a field whose value is a message: its fields follow. @param length of the value in bytes */
  message(field: number, length: number): void {
    this.#varint((field << 3) | LENGTH_DELIMITED)
    this.#varint(length)
  }

  text(field: number, value: string): void {
    this.message(field, Buffer.byteLength(value))
    this.#at += this.bytes.write(value, this.#at)
  }

  /** A field of type `double`. */
  double(field: number, value: number): void {
    this.#varint((field << 3) | FIXED_64)
    this.#at = this.bytes.writeDoubleLE(value, this.#at)
  }

  /** A field of type `int64`. */
  integer(field: number, value: number): void {
    this.#varint((field << 3) | VARINT)
    if (value >= 0) this.#varint(value)
    else this.#negative(value)
  }

  /** Appends fields that were written before. */
  fields(written: Buffer): void {
    this.#at += written.copy(this.bytes, this.#at)
  }

  /** Seven bits per byte, the lowest first. */
  #varint(value: number): void {
    const { bytes } = this
    let at = this.#at
    let rest = value
    // Bit operations take 32 bits.
    while (rest > MAX_INT_32) {
      bytes[at++] = (rest % SEVEN_BITS) | SEVEN_BITS
      rest = Math.floor(rest / SEVEN_BITS)
    }
    for (; rest >= SEVEN_BITS; rest >>= 7) bytes[at++] = (rest & 0x7f) | SEVEN_BITS
    bytes[at++] = rest
    this.#at = at
  }

  /** A negative number has ten bytes: its 64 bits. */
  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest >= 0x80n) {
      this.#at = this.bytes.writeUInt8(Number(rest & 0x7fn) | SEVEN_BITS, this.#at)
      rest >>= 7n
    }
    this.#at = this.bytes.writeUInt8(Number(rest), this.#at)
  }
}

/** Bytes of a field whose value has a length of its own. */
export function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length
}

export function textBytes(value: string): number {
  return fieldBytes(Buffer.byteLength(value))
}

/** Bytes of a field of type `double`. */
export const DOUBLE_FIELD_BYTES = 1 + DOUBLE_BYTES

/** Bytes of a field of type `int64`. */
export function integerBytes(value: number): number {
  return 1 + (value < 0 ? 10 : varintBytes(value))
}

function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) bytes++
  return bytes
}
