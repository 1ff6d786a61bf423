import type { FastifyInstance } from 'fastify'

/** Runs some work from the start of a server to its end. */
export function whileItRuns(app: FastifyInstance, work: (signal: AbortSignal) => Promise<void>): void {
  const closing = new AbortController()
  let done: Promise<void> | undefined
  app.addHook('onReady', async () => {
    done = work(closing.signal)
  })
  app.addHook('onClose', async () => {
    closing.abort()
    await done
  })
}
