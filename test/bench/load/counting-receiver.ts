import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Received } from './receive-bodies.ts'

const RECEIVER = new URL('./receive-bodies.ts', import.meta.url)

/** A receiver in a process of its own, which counts the lines of the bodies that it accepts. */
export interface CountingReceiver {
  readonly url: string
  /** Makes it accept requests, or refuse each with 503. */
  accept(accepts: boolean): void
  received(): Promise<Received>
  close(): void
}

export async function countingReceiver(): Promise<CountingReceiver> {
  const child = fork(RECEIVER)
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}/in`,
    accept: accepts => {
      child.send({ accepts })
    },
    received: async () => {
      const answer = once(child, 'message')
      child.send({})
      return (await answer)[0] as Received
    },
    close: () => {
      child.disconnect()
    },
  }
}
