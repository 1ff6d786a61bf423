import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import { Batch, type BatchLimits, FULL_BATCH, type LineOptions } from './batch.ts'
import type { Delivery, Reply } from './delivery.ts'
import {
  beginsAs,
  type FileIdentity,
  fingerprintOf,
  inodeOf,
  NO_FINGERPRINT,
  openIfThere,
  readFully,
} from './file-identity.ts'
import { LineSplitter } from './line-splitter.ts'
import type { FilePosition, PendingRequest, Positions } from './positions.ts'
import { compressedAfter, findPredecessor, isStillIt, type Predecessor } from './predecessor.ts'
import { isWorn, newStream } from './stream-name.ts'
import { halved } from './stream-shipper.ts'
import { successorOf } from './successor.ts'
import type { Totals } from './totals.ts'

const CHUNK_BYTES = 256 * 1024
/** A longer line without an end counts as ended; only 64 kB of its text are sent anyway. */
const LONGEST_UNENDED_BYTES = 16 * 1024 * 1024
/** A writer may hold a renamed file for a moment: it is left only after this time without a new byte. */
const ROTATION_QUIET_MS = 5_000

export interface FollowerOptions {
  readonly path: string
  readonly ingestUrl: string
  readonly lines: LineOptions
  readonly host: string
  readonly tags: string | undefined
  readonly delivery: Delivery
  readonly positions: Positions
  readonly totals: Totals
  readonly world: World
  readonly onProblem: (sentence: string) => void
}

/**
 * Ships the bytes appended to one file, across rotations, truncations and restarts of this program.
 *
 * Exactly once: before a request is sent, its key and the range of its bytes are written to the position file. After a
 * restart the same request is sent again, and the service knows its key.
 */
export class Follower {
  readonly #options: FollowerOptions
  readonly #position: FilePosition
  readonly #chunk = Buffer.alloc(CHUNK_BYTES)
  #limits: BatchLimits = FULL_BATCH
  #handle: FileHandle | undefined
  /** Inode of the open file. */
  #inode = ''
  /** false: the file can no longer be written. */
  #hasWriter = true
  /** Size at the last look: an unfinished line is read again only after the file has grown. */
  #seenSize = -1
  #grownAtMs = 0

  constructor(options: FollowerOptions) {
    this.#options = { ...options, path: resolve(options.path) }
    const { positions, ingestUrl, world } = options
    this.#position = positions.of(this.#options.path, ingestUrl, () => newStream(world))
  }

  /**
   * Takes the next step: opens the file, sends one batch, or changes to the next file.
   *
   * @returns false when there is nothing to do at the moment
   * @throws CommandError, Stopped: like Delivery.send, and when a request was refused as a whole
   */
  async step(): Promise<boolean> {
    if (!this.#handle) return this.#open()
    const { size } = await this.#handle.stat()
    if (size < this.#position.offset) return this.#startOver('was truncated')
    if (size !== this.#seenSize) {
      const { identity } = this.#position
      if (identity && !(await beginsAs(this.#handle, identity.fingerprint)))
        return this.#startOver('was overwritten')
      this.#grownAtMs = this.#options.world.clock.monotonicMs()
    }
    if (this.#position.pending) return this.#resend(this.#position.pending, size)
    if (size !== this.#seenSize) {
      const { batch, to } = await this.#read(this.#position.offset, size, this.#limits, 'whole lines')
      if (to > this.#position.offset) return this.#advance(batch, to)
      this.#seenSize = size
    }
    return this.#changeIfRotated(size)
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
  }

  /** Finds the file that the position refers to; called at the first step, and while the file is missing. */
  async #open(): Promise<boolean> {
    const { path } = this.#options
    const { identity, offset } = this.#position
    const handle = await openIfThere(path)
    if (handle && (!identity || (await isStillIt(handle, identity, offset)))) {
      await this.#use(handle, identity ? undefined : 'new file')
      return true
    }
    const predecessor = identity && (await findPredecessor(path, identity, offset))
    if (predecessor) {
      await handle?.close()
      await this.#goOnWith(predecessor)
      return true
    }
    if (!handle || !identity) return false
    // An equal beginning under another inode belongs to a copy, or to a file system without stable numbers.
    const sameContent = identity.fingerprint.length > 0 && (await beginsAs(handle, identity.fingerprint))
    if (!sameContent)
      this.#loseSight(
        `was replaced or truncated while it was not followed: its content from byte ${offset} may be lost`,
      )
    await this.#use(handle, sameContent ? 'same content' : 'new file')
    return true
  }

  async #goOnWith(predecessor: Predecessor): Promise<void> {
    const { path, onProblem } = this.#options
    for (const unread of await compressedAfter(path, predecessor))
      onProblem(
        `${unread.path} was rotated and compressed while ${path} was not followed: it is not read. ` +
          'Send it with "weir ship" and its path.',
      )
    await this.#use(predecessor.handle)
    // An unpacked copy is identified by the file that it was unpacked from.
    this.#inode = predecessor.file.inode
    this.#hasWriter = !predecessor.isCompressed
  }

  /** Continues with an open file: at the known position, or from its start when it is a new one. */
  async #use(handle: FileHandle, why?: 'new file' | 'same content'): Promise<void> {
    this.#handle = handle
    this.#inode = await inodeOf(handle)
    this.#hasWriter = true
    this.#seenSize = -1
    this.#grownAtMs = this.#options.world.clock.monotonicMs()
    if (!why) return
    const inode = this.#inode
    if (why === 'new file') {
      this.#position.offset = 0
      this.#position.pending = null
      this.#position.identity = { inode, fingerprint: NO_FINGERPRINT }
    } else if (this.#position.identity) {
      this.#position.identity = { inode, fingerprint: this.#position.identity.fingerprint }
    }
    await this.#options.positions.save()
  }

  async #startOver(what: string): Promise<boolean> {
    this.#loseSight(what)
    this.#position.offset = 0
    this.#position.pending = null
    this.#position.identity = { inode: this.#inode, fingerprint: NO_FINGERPRINT }
    this.#seenSize = -1
    await this.#options.positions.save()
    return true
  }

  #loseSight(what: string): void {
    const unsure = this.#position.pending
      ? ' The outcome of the last request is unknown: its lines may be missing.'
      : ''
    this.#options.onProblem(`${this.#options.path} ${what}; it is read from its beginning.${unsure}`)
  }

  /** Splits bytes [from, to) of the file into one batch; `to` of the result is where the batch ends. */
  async #read(
    from: number,
    to: number,
    limits: BatchLimits,
    take: 'whole lines' | 'the rest, too',
    lines: LineOptions = this.#options.lines,
  ): Promise<{ batch: Batch; to: number }> {
    const splitter = new LineSplitter(from)
    const batch = new Batch(lines, limits)
    let taken = from
    const addLine = () => {
      if (!batch.add(splitter.buffer, splitter.start, splitter.end, splitter.endOffset)) return false
      taken = splitter.endOffset
      return true
    }
    for (let at = from; at < to; ) {
      const chunk = this.#chunk.subarray(0, Math.min(CHUNK_BYTES, to - at))
      const bytes = await readFully(this.#handle as FileHandle, chunk, at)
      if (bytes === 0) break
      at += bytes
      splitter.feed(chunk.subarray(0, bytes))
      while (splitter.next()) if (!addLine()) return { batch, to: taken }
      if (splitter.unendedBytes > LONGEST_UNENDED_BYTES) break
    }
    const ended = take === 'the rest, too' || splitter.unendedBytes > LONGEST_UNENDED_BYTES
    if (ended && splitter.finish()) addLine()
    return { batch, to: taken }
  }

  /** Sends the bytes up to `to` as a new request, which is written to the position file first. */
  async #advance(batch: Batch, to: number): Promise<boolean> {
    const { lines, host, tags } = this.#options
    const from = this.#position.offset
    if (batch.lines > 0) {
      if (isWorn(this.#position.stream, this.#options.world.clock.wallMs())) this.#beginStream()
      this.#position.pending = { number: this.#position.number, from, to, lines, host, tags }
      await this.#learnFingerprint(to)
      await this.#options.positions.save()
      return this.#deliver(batch, this.#position.pending)
    }
    await this.#acknowledge(to)
    return true
  }

  /** Repeats a request whose outcome a restart made unknown, with identical bytes. */
  async #resend(pending: PendingRequest, size: number): Promise<boolean> {
    if (size < pending.to) return this.#startOver('was truncated')
    const unlimited = { bytes: Number.POSITIVE_INFINITY, lines: Number.POSITIVE_INFINITY }
    const { batch } = await this.#read(pending.from, pending.to, unlimited, 'the rest, too', pending.lines)
    return this.#deliver(batch, pending)
  }

  async #deliver(batch: Batch, pending: PendingRequest): Promise<boolean> {
    const reply = await this.#options.delivery.send({
      body: batch.body(),
      lines: batch.lines,
      idempotencyKey: `${this.#position.stream}/${pending.number}`,
      host: pending.host,
      tags: pending.tags,
    })
    this.#position.number = pending.number + 1
    if (reply.kind === 'key-conflict') return this.#changeStream(reply)
    if (reply.kind === 'refused') return this.#giveUp(reply.sentence)
    if (reply.kind === 'too-large' && batch.lines > 1) return this.#sendLess(batch)
    this.#limits = { bytes: this.#limits.bytes, lines: FULL_BATCH.lines }
    this.#options.totals.count(batch, reply.kind === 'taken' ? reply.refused : batch.lines)
    if (reply.kind === 'too-large')
      this.#options.onProblem('The service refuses even a single line as too large.')
    await this.#acknowledge(pending.to)
    return true
  }

  /** The service took nothing: the first half is sent next, under its own number. */
  async #sendLess(batch: Batch): Promise<boolean> {
    // Halving only the bytes would not help for a batch that is far below the limit.
    this.#limits = { ...halved(this.#limits), lines: batch.lines >> 1 }
    this.#position.pending = null
    this.#seenSize = -1
    return true
  }

  /** Gives up. Nothing was stored: a start with other settings sends the lines with those settings. */
  async #giveUp(sentence: string): Promise<never> {
    this.#position.pending = null
    await this.#options.positions.save()
    throw new CommandError(EXIT.usage, sentence)
  }

  /** Starts a new stream; no request of the previous one is outstanding, or its outcome no longer matters. */
  #beginStream(): void {
    this.#position.stream = newStream(this.#options.world)
    this.#position.number = 0
  }

  /** Another request has used our key, so the outcome of ours is unknown. Sending it again at least prevents a loss. */
  async #changeStream(reply: Reply & { kind: 'key-conflict' }): Promise<boolean> {
    this.#options.onProblem(`${reply.sentence} The lines are sent again under a new key.`)
    this.#beginStream()
    this.#position.pending = null
    this.#seenSize = -1
    await this.#options.positions.save()
    return true
  }

  async #acknowledge(to: number): Promise<void> {
    this.#options.totals.readBytes += to - this.#position.offset
    this.#position.offset = to
    this.#position.pending = null
    await this.#learnFingerprint(to)
    await this.#options.positions.save()
  }

  async #learnFingerprint(knownBytes: number): Promise<void> {
    const fingerprint = await fingerprintOf(this.#handle as FileHandle, knownBytes)
    this.#position.identity = { inode: this.#inode, fingerprint }
  }

  /** Changes to the successor of the file at its end, once it was renamed and its writer has closed it. */
  async #changeIfRotated(size: number): Promise<boolean> {
    const { path } = this.#options
    const { mtimeNs } = await (this.#handle as FileHandle).stat({ bigint: true })
    const current = { inode: this.#inode, modifiedNs: mtimeNs }
    const successor = await successorOf(path, current, this.#position.finished)
    if (!successor) return false
    // A writer that has begun a second file has closed the first one.
    const mayGrow = this.#hasWriter && successor === path
    if (mayGrow && this.#options.world.clock.monotonicMs() - this.#grownAtMs < ROTATION_QUIET_MS) return false
    if (size > this.#position.offset) {
      // The last line of a rotated file never gets a line feed.
      const { batch, to } = await this.#read(this.#position.offset, size, this.#limits, 'the rest, too')
      return this.#advance(batch, to)
    }
    const next = await openIfThere(successor)
    if (!next) return false
    await this.#learnFingerprint(size)
    this.#position.finished = [...this.#position.finished.slice(-15), this.#position.identity as FileIdentity]
    await this.close()
    await this.#use(next, 'new file')
    return true
  }
}
