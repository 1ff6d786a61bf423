import type { Patch } from '../../simulation/guards.ts'

const FRONT = 'api/ingest/ingest-front.ts'
const READER = 'engine/lines/scan/line-reader.ts'
const LOADED = '    this.#reader.load(chunks)\n'
const INTERRUPTED = `${LOADED}    await undefined\n`

/** Faults with which lines of one request take the place of those of another: a crowd must show each of them. */
export const CROWD_CONTROLS: Readonly<Record<string, Patch>> = {
  'other bodies are loaded between the load of a body and its reading': {
    file: FRONT,
    find: `${LOADED}    let credentials`,
    replace: `${INTERRUPTED}    let credentials`,
  },
  'a long body with its key in it is not loaded again': {
    file: FRONT,
    find: `      await this.#turnFor(chunks, request)\n  ${LOADED}    }\n`,
    replace: '    }\n',
  },
  'other bodies are loaded before the refused lines of a repeat are found again': {
    file: FRONT,
    find: `${LOADED}    const { bodyLimitBytes }`,
    replace: `${INTERRUPTED}    const { bodyLimitBytes }`,
  },
  'a body that is read in turns is not copied': {
    file: READER,
    find: 'this.#json ?? Buffer.from(this.body)',
    replace: 'this.#json ?? this.body',
  },
  'a key in a body that is read in turns is read without a copy': {
    file: READER,
    find: 'envelopeOfCopy(Buffer.from(this.body))',
    replace: 'envelopeOfCopy(this.body)',
  },
  'an idempotency key is known only once its lines are durable': {
    file: FRONT,
    find: 'if (idempotency !== null) this.#options.keys.note(account.shortId, idempotency, written.then(keptAnswer))',
    replace:
      'if (idempotency !== null) void written.then(() => this.#options.keys.note(account.shortId, idempotency, written.then(keptAnswer)))',
  },
}
