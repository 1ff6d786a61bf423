import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'

/**
 * Reads the store of a stopped installation, independently of the program, in a separate process: the engine allows one
 * folder per process. Prints the rows of the last statement as one line of JSON.
 *
 * usage: node query-store.ts FOLDER STATEMENT…
 */
const [folder = '', ...statements] = process.argv.slice(2)
const connection = await openEmbeddedConnection({ path: folder })
for (const statement of statements.slice(0, -1)) await connection.command(statement)
console.log(JSON.stringify(await connection.read(statements.at(-1) ?? 'SELECT 1')))
await connection.close()
