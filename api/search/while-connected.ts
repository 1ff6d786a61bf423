import type { FastifyReply } from 'fastify'

/**
 * Works on an answer until its client leaves, which is not an error: nobody is there to read one.
 *
 * @param work ends when its signal is aborted, and may then throw anything
 */
export async function whileConnected<Answer>(
  reply: FastifyReply,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  try {
    return await work(gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
    return reply.hijack()
  }
}
