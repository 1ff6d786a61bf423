import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'

/**
 * Looks into the store of an installation that does not run, past everything that the program does, in a process of
 * its own: the engine keeps to one folder a process. Prints the rows of the last statement as one line of JSON.
 *
 * usage: node query-store.ts FOLDER STATEMENT…
 */
const [folder = '', ...statements] = process.argv.slice(2)
const connection = await openEmbeddedConnection({ path: folder })
for (const statement of statements.slice(0, -1)) await connection.command(statement)
console.log(JSON.stringify(await connection.read(statements.at(-1) ?? 'SELECT 1')))
await connection.close()
