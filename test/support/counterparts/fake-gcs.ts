import { freePort } from '../free-port.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { buildGo, type GoProgram, goBinary } from './go-program.ts'
import { startServer } from './started-server.ts'

const PROGRAM: GoProgram = { package: 'github.com/fsouza/fake-gcs-server', version: 'v1.56.1' }

/** Google Cloud Storage in memory. It checks neither tokens nor hashes. */
export const fakeGcs: Counterpart = {
  name: 'gcs',
  product: 'fake-gcs-server 1.56.1',
  folder: folderName('gcs', '1.56.1', JSON.stringify(PROGRAM)),
  make: folder => buildGo(PROGRAM, folder),
  async start(folder) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    return startServer({
      program: goBinary(folder),
      args: [
        ...['-backend', 'memory', '-scheme', 'http', '-host', '127.0.0.1', '-port', `${port}`],
        // Addresses of resumable uploads begin with it.
        ...['-public-host', `127.0.0.1:${port}`, '-external-url', url, '-log-level', 'warn'],
      ],
      url,
    })
  },
}
