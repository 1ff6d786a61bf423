import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'

/** usage: open-engine.ts FOLDER; says "open" once the embedded engine has answered, and stays. */
const connection = await openEmbeddedConnection({ path: process.argv[2] as string })
await connection.query({ sql: 'SELECT 1' })
console.log('open')
setInterval(() => {}, 60_000)
