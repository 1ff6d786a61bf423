import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { openEmbeddedServer } from '../../engine/store/embedded-server/embedded-server.ts'
import { DataDirectory } from '../data-directory.ts'
import { endWith } from '../forced-end.ts'
import { stopGracefully } from '../graceful-stop.ts'
import { reachable } from '../reachable-address.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'
import type { RenewedTls } from '../tls.ts'
import { VERSION } from '../version.ts'
import { StoreServer } from './store-server.ts'

/** Each statement holds a thread of the pool. */
const LEAST_THREADS = 16
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/

/**
 * Serves the embedded engine to other processes until it is asked to stop.
 *
 * @throws SettingsError, DataDirectoryError with a sentence that states the remedy
 */
export async function runStore(
  settings: Settings,
  logger: Logger,
  { tls, stopped }: { readonly tls: RenewedTls | undefined; readonly stopped: Promise<void> },
): Promise<void> {
  assertGuarded(settings)
  assertThreads(process.env.UV_THREADPOOL_SIZE)
  const directory = DataDirectory.open(settings.dataDirectory)
  try {
    const engine = await openEmbeddedServer({
      path: directory.storePath,
      clock: systemClock(),
      warn: sentence => logger.warn({}, sentence),
      onUnwrittenMerge: sentence => endWith(sentence, logger),
    })
    const server = new StoreServer({
      engine,
      login: { user: settings.clickhouseUser, password: settings.clickhousePassword },
      entropy: systemEntropy(),
      tls,
      onTrouble: error => logger.error({ err: error }, 'a statement could not be answered'),
    })
    try {
      const address = await listen(server, settings)
      const url = `${tls === undefined ? 'http' : 'https'}://${reachable(address.address)}:${address.port}`
      logger.info({ version: VERSION, url, dataDirectory: directory.path }, 'started')
      if (settings.clickhousePassword === '')
        logger.warn(
          {},
          'every user of this machine can read and change the store: CLICKHOUSE_PASSWORD is not set',
        )
      console.log(`The store is ready: CLICKHOUSE_URL=${url}`)
      await stopped
    } finally {
      // The sender of an aborted statement learns that its outcome is unknown.
      const consequence = 'running statements are aborted'
      await stopGracefully({ logger, consequence, holdsEngine: true }, () => server.close())
    }
  } finally {
    directory.close()
  }
}

/** A sender of statements can read everything that this process can: the engine has functions that read files. */
function assertGuarded({ storeHost, clickhousePassword }: Settings): void {
  if (clickhousePassword !== '' || LOOPBACK.test(storeHost)) return
  throw new SettingsError([
    `WEIR_STORE_HOST is ${storeHost}, where other machines could send statements: set CLICKHOUSE_PASSWORD, here and where CLICKHOUSE_URL is set`,
  ])
}

function assertThreads(size: string | undefined): void {
  if (Number(size) >= LEAST_THREADS) return
  throw new SettingsError([`UV_THREADPOOL_SIZE is ${size}, and the store needs ${LEAST_THREADS}: unset it`])
}

async function listen(server: StoreServer, { storeHost, storePort }: Settings): Promise<AddressInfo> {
  try {
    return await server.listen(storeHost, storePort)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message
    throw new SettingsError([
      `cannot listen on ${storeHost}:${storePort} (WEIR_STORE_HOST, WEIR_STORE_PORT): ${why}`,
    ])
  }
}
