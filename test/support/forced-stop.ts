import { pino } from 'pino'
import { stopGracefully } from '../../deploy/graceful-stop.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'

/** Stops by force while the engine works: the stop never ends, and neither do the statements. */

const [folder = ''] = process.argv.slice(2)
const connection = await openEmbeddedConnection({ path: folder })
for (const scanOf of ['a', 'b'])
  void connection.query({
    sql: 'SELECT max(cityHash64(number)) AS hash FROM numbers(1000000000000)',
    scanOf,
  })
const running =
  "SELECT count() AS count FROM system.processes WHERE query LIKE '%numbers(1000000000000)%' AND query NOT LIKE '%processes%'"
for (;;) {
  const [row] = await connection.read<{ count: string }>(running)
  if (row?.count === '2') break
}
const options = { logger: pino(), consequence: 'nothing is lost', holdsEngine: true, withinMs: 1 }
await stopGracefully(options, () => new Promise(() => {}))
