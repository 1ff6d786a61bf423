import type { FastifyReply, FastifyRequest } from 'fastify'
import { printingJson } from '../../engine/json/json-printing.ts'
import type { Steps } from '../../engine/steps.ts'
import { inTurns, type LoopTurns } from '../../engine/turns/loop-turns.ts'
import { acceptedCoding, type Coding } from './compressed-answers.ts'

/**
 * A long answer of JSON that is the same for all callers while the process runs. It is printed and compressed only once, in turns with
 * other requests.
 */
export class FixedAnswer {
  readonly #making: () => Steps<object>
  readonly #turns: LoopTurns
  #whole: Promise<Buffer> | undefined
  /** Compressed forms, by the name of their coding. */
  readonly #coded = new Map<string, Promise<Buffer>>()

  /** @param making makes the content, at the first request */
  constructor(making: () => Steps<object>, turns: LoopTurns) {
    this.#making = making
    this.#turns = turns
  }

  async send({ headers, method }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#whole ??= this.#printed()
    const whole = await this.#whole
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
    const coding = method === 'HEAD' ? undefined : acceptedCoding(headers['accept-encoding'])
    if (coding === undefined) return reply.send(whole)
    return reply.header('content-encoding', coding.name).send(await this.#codedBy(coding, whole))
  }

  async #printed(): Promise<Buffer> {
    const turn = this.#turns.begin()
    const content = await inTurns(this.#making(), turn)
    return Buffer.from(await inTurns(printingJson(content), turn))
  }

  #codedBy({ name, whole }: Coding, content: Buffer): Promise<Buffer> {
    let coded = this.#coded.get(name)
    if (coded === undefined) {
      coded = whole(content)
      this.#coded.set(name, coded)
    }
    return coded
  }
}
