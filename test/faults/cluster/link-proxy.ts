import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const END_OF_HEAD = '\r\n\r\n'
const REQUEST = /^[A-Z]+ \//

type Way = 'open' | 'cut' | 'stalled' | 'mute'

/** One process's way to one other: TCP connections that can be cut, held up and made slow. */
export class LinkProxy {
  readonly #server: Server
  readonly #targetPort: number
  readonly #sockets = new Set<Socket>()
  #way: Way = 'open'
  #delayMs = 0
  #passesHeads = false
  #smallBytes = 0
  /** Answers that `mute` still lets through. */
  #heard = 0
  #opened = Promise.withResolvers<void>()
  /** Bytes that wait for `heal`, of those that have been read. */
  heldBytes = 0

  private constructor(targetPort: number) {
    this.#targetPort = targetPort
    this.#server = createServer(socket => this.#take(socket))
  }

  static async open(targetPort: number): Promise<LinkProxy> {
    const proxy = new LinkProxy(targetPort)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends every connection, and each new one at once, until `heal`. */
  cut(): void {
    this.#way = 'cut'
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /**
   * Connections stay, and nothing comes through, until `heal` or `cut`.
   *
   * @param heads the heads of HTTP requests do: the other end waits for their bodies, and takes no connection for idle
   * @param smallBytes pieces of at most so many bytes do, too
   */
  stall({ heads = false, smallBytes = 0 } = {}): void {
    this.#passesHeads = heads
    this.#smallBytes = smallBytes
    if (this.#way !== 'stalled') this.#opened = Promise.withResolvers()
    this.#way = 'stalled'
  }

  /**
   * Lets requests through but holds back every answer, until `heal` or `cut`.
   *
   * @param heard number of answers that still come
   */
  mute(heard = 0): void {
    this.#heard = heard
    if (this.#way !== 'mute') this.#opened = Promise.withResolvers()
    this.#way = 'mute'
  }

  /** Everything comes that much later, in order. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs
  }

  heal(): void {
    this.#way = 'open'
    this.#delayMs = 0
    this.#opened.resolve()
  }

  close(): void {
    this.cut()
    this.#opened.resolve()
    this.#server.close()
  }

  #take(near: Socket): void {
    if (this.#way === 'cut') return void near.resetAndDestroy()
    const far = connect({ host: '127.0.0.1', port: this.#targetPort })
    const pair = [near, far] as const
    for (const socket of pair) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        for (const each of pair) each.destroy()
      })
    }
    void this.#carry(near, far, ['stalled'], headBytes)
    void this.#carry(far, near, ['stalled', 'mute'])
  }

  /** @param passes bytes at the beginning of a chunk that may pass while heads do */
  async #carry(
    from: Socket,
    to: Socket,
    holdsWhile: readonly Way[],
    passes = (_chunk: Buffer) => 0,
  ): Promise<void> {
    try {
      for await (const chunk of from) {
        if (this.#delayMs > 0) await delay(this.#delayMs)
        let rest = chunk as Buffer
        const isSmall = this.#way === 'stalled' && rest.length <= this.#smallBytes
        if (holdsWhile.includes(this.#way) && !isSmall && !this.#isStillHeard()) {
          const passing = this.#passesHeads ? passes(rest) : 0
          if (passing > 0) to.write(rest.subarray(0, passing))
          rest = rest.subarray(passing)
          // A head often comes alone. Its body comes next, and is held then.
          if (rest.length === 0) continue
          await this.#hold(rest)
        }
        if (!to.write(rest)) await once(to, 'drain')
      }
      to.end()
    } catch {
      to.destroy() // The other end has gone, and so does this one.
    }
  }

  #isStillHeard(): boolean {
    return this.#way === 'mute' && this.#heard-- > 0
  }

  async #hold({ length }: Buffer): Promise<void> {
    this.heldBytes += length
    await this.#opened.promise
    this.heldBytes -= length
  }
}

/** Bytes of the head of a request that a chunk begins with. */
function headBytes(chunk: Buffer): number {
  if (!REQUEST.test(chunk.toString('latin1', 0, 10))) return 0
  const end = chunk.indexOf(END_OF_HEAD)
  return end < 0 ? 0 : end + END_OF_HEAD.length
}
