import { parseArgs } from 'node:util'
import { StoreServer } from '../../deploy/store-role/store-server.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import {
  type EmbeddedServer,
  openEmbeddedServer,
  type ServedStatement,
} from '../../engine/store/embedded-server/embedded-server.ts'
import { engineError } from '../../engine/store/embedded-server/engine-error.ts'

/**
 * The server of `weir store` with the peculiarities of other servers, for tests without one. It runs in a separate
 * process, so a test can kill it.
 *
 * usage: node clickhouse-http-front.ts DATA_FOLDER [PORT] [--user NAME --password WORD] [--databases-are-given]
 * [--dies-of-insert NUMBER] It prints the port once it listens and ends with its input. With a password it refuses
 *          clients without one; with given databases, a user cannot create one. It can die as a server that loses its
 *          power after lines are stored and before the client has an answer.
 */
const { values: rules, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
    'databases-are-given': { type: 'boolean', default: false },
    'dies-of-insert': { type: 'string' },
  },
})
// The program does this, too, before the pool is made: each statement takes a thread.
process.env.UV_THREADPOOL_SIZE ??= '16'
const { user, password } = rules
const [folder = '', port = '0'] = positionals
const engine = await openEmbeddedServer({ path: folder, clock: systemClock() })
const server = new StoreServer({
  engine: inTheMood(engine),
  login: { user, password },
  entropy: systemEntropy(),
  onTrouble: console.error,
})

function inTheMood(served: EmbeddedServer): EmbeddedServer {
  let linesInserts = 0
  return {
    async *answer(statement: ServedStatement, left: AbortSignal) {
      if (rules['databases-are-given'] && /^CREATE DATABASE/.test(statement.sql)) {
        const message = `${user}: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE.`
        throw engineError(497, 'ACCESS_DENIED', message)
      }
      const pieces: Uint8Array[] = []
      if (!/^INSERT INTO (?:slotted_)?lines /.test(statement.sql))
        return yield* served.answer(statement, left)
      for await (const piece of served.answer(statement, left)) pieces.push(piece)
      if (`${++linesInserts}` === rules['dies-of-insert']) process.kill(process.pid, 'SIGKILL')
      yield* pieces
    },
    close: () => served.close(),
  }
}

console.log(`port ${(await server.listen('127.0.0.1', Number(port))).port}`)

// Ends with a test run that was killed.
process.stdin.resume().on('end', stop)
process.on('SIGTERM', stop)

function stop(): void {
  void server.close().finally(() => process.exit(0))
}
