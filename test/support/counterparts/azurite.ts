import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { runCommand } from './command.ts'
import { type Counterpart, folderName } from './counterpart.ts'
import { startServer } from './started-server.ts'

const VERSION = '3.35.0'
const QUIET = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error']

/** Account of every Azurite, with its public key. */
export const AZURE_ACCOUNT = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
}

/** Blobs of Azure in memory. The address of the account is the base address with the name of the account. */
export const azurite: Counterpart = {
  name: 'azure',
  product: `Azurite ${VERSION}`,
  folder: folderName('azure', VERSION),
  make: folder =>
    runCommand('npm', ['install', ...QUIET, '--prefix', folder, `azurite@${VERSION}`], { folder }),
  async start(folder) {
    const port = await freePort()
    return startServer({
      program: process.execPath,
      args: [
        join(folder, 'node_modules/azurite/dist/src/blob/main.js'),
        ...['--blobHost', '127.0.0.1', '--blobPort', `${port}`, '--inMemoryPersistence', '--silent'],
        // Clients name a newer version of the interface than it knows.
        ...['--skipApiVersionCheck', '--disableTelemetry'],
      ],
      url: `http://127.0.0.1:${port}`,
    })
  },
}
