import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { buildGo, type GoProgram, goBinary } from './go-program.ts'
import { startServer } from './started-server.ts'

const VERSION = '2.6.2'
const MAIN = join(import.meta.dirname, 'pubsub/main.go')
const PROGRAM: GoProgram = {
  package: 'cloud.google.com/go/pubsub/v2/pstest',
  version: `v${VERSION}`,
  main: MAIN,
}

/** Fake Pub/Sub of Google's client library, in memory, by HTTP. It demands credentials, and does not look at them. */
export const pubsubServer: Counterpart = {
  name: 'pubsub',
  product: `pstest ${VERSION}`,
  folder: folderName('pubsub', VERSION, readFileSync(MAIN, 'utf8')),
  make: folder => buildGo(PROGRAM, folder),
  async start(folder) {
    const address = `127.0.0.1:${await freePort()}`
    return startServer({
      ...{ program: goBinary(folder), args: ['-address', address] },
      url: `http://${address}`,
    })
  },
}
