import { Duplex } from 'node:stream'

/** Bytes of answers between two requests beyond which a server is not believed: answers to records are short. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** A connection for a client that expects it at once, while it is still being opened. */
export class LateSocket extends Duplex {
  readonly #opening: Promise<Duplex>
  #received = 0

  /**
   * @param opening fails with the error that the client receives
   * @param onConnect is called when the connection is open
   */
  constructor(opening: Promise<Duplex>, onConnect: () => void) {
    super({ allowHalfOpen: false })
    this.#opening = opening
    opening.then(
      socket => this.#follow(socket, onConnect),
      (error: Error) => this.destroy(error),
    )
  }

  /** Sockets of Node have these settings, which clients make. */
  unref(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  override _read(): void {
    // The connection pushes received bytes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#received = 0
    this.#opening.then(socket => socket.write(chunk, done), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#opening.then(
      socket => socket.end(() => done()),
      () => done(),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#opening.then(
      socket => socket.destroy(),
      () => {},
    )
    done(error)
  }

  #follow(socket: Duplex, onConnect: () => void): void {
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.length
      if (this.#received > MAX_ANSWER_BYTES) this.destroy(new Error('the answer is too long'))
      else this.push(chunk)
    })
    socket.once('end', () => this.push(null))
    socket.once('error', error => this.destroy(error))
    socket.once('close', () => this.destroy())
    if (this.destroyed) socket.destroy()
    else onConnect()
  }
}
