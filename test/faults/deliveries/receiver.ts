import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { DeliveryReceiver } from './delivery-receiver.ts'
import { RECEIVER_MODES, type ReceiverMode, type TakenBody } from './taken-body.ts'

const PROCESS = new URL('./receiver-process.ts', import.meta.url)

/** A receiver in a process of its own, which keeps its address over kills. */
export class Receiver implements DeliveryReceiver {
  readonly modes = RECEIVER_MODES
  readonly #file: string
  #child: ChildProcess | undefined
  #port = 0
  #mode: ReceiverMode = 'well'

  private constructor(file: string) {
    this.#file = file
  }

  static async open(file: string): Promise<Receiver> {
    const receiver = new Receiver(file)
    await receiver.#start()
    return receiver
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async behave(mode: ReceiverMode): Promise<void> {
    this.#mode = mode
    this.#child?.send(mode)
  }

  async taken(): Promise<readonly TakenBody[]> {
    if (!existsSync(this.#file)) return []
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)
    return lines.map(line => JSON.parse(line) as TakenBody)
  }

  async restart(): Promise<void> {
    await this.close()
    await this.#start()
    await this.behave(this.#mode)
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async #start(): Promise<void> {
    const child = fork(PROCESS, [this.#file, String(this.#port)])
    this.#child = child
    const [port] = (await once(child, 'message')) as [number]
    this.#port = port
  }
}
