import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from '../engine/logger.ts'
import { type Settings, SettingsError } from './settings/settings.ts'

/** A certificate with its chain and the matching key, both PEM. */
export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

/** A server whose certificate can be replaced. Open connections keep the former one. */
export interface TlsServer {
  setSecureContext(files: TlsFiles): void
}

/** Result of reading the files again. */
export type Renewal = 'unchanged' | 'renewed' | 'refused'

type TlsPaths = Pick<Settings, 'tlsCertificate' | 'tlsKey'>

/** Interval between two looks at the files, so that a renewed certificate is served within a minute. */
const LOOK_EVERY_MS = 20_000

/** The files for HTTPS of a process. Renewed ones are served without a restart. */
export class RenewedTls {
  readonly #paths: TlsPaths
  readonly #logger: Logger
  readonly #servers: TlsServer[] = []
  #files: TlsFiles
  /** The latest problem that was reported. */
  #trouble: string | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(paths: TlsPaths, logger: Logger, files: TlsFiles) {
    this.#paths = paths
    this.#logger = logger
    this.#files = files
  }

  /**
   * Reads the files for HTTPS and tests them before anything is opened.
   *
   * @returns undefined when the settings name no certificate
   * @throws SettingsError when a file cannot be read, is not PEM, or the two do not match
   */
  static async open(paths: TlsPaths, logger: Logger): Promise<RenewedTls | undefined> {
    const files = await readTls(paths)
    return files && new RenewedTls(paths, logger, files)
  }

  get files(): TlsFiles {
    return this.#files
  }

  /** Gives the present certificate and all later ones to a server. */
  renewAt(server: TlsServer): void {
    server.setSecureContext(this.#files)
    this.#servers.push(server)
  }

  /** Looks at the files at an interval; this does not keep the process alive. */
  follow(everyMs = LOOK_EVERY_MS): void {
    this.#timer = setInterval(() => void this.reload(), everyMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /**
   * Reads the files, and serves them if they have changed. Unusable files are reported once, and the present certificate stays: while
   * it is renewed, one of the two files can be older.
   */
  async reload(): Promise<Renewal> {
    try {
      const files = await readTls(this.#paths)
      this.#trouble = undefined
      return files === undefined || isSame(files, this.#files) ? 'unchanged' : this.#serve(files)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      if (error.message !== this.#trouble)
        this.#logger.error({}, `the certificate is not renewed, and the present one stays: ${error.message}`)
      this.#trouble = error.message
      return 'refused'
    }
  }

  #serve(files: TlsFiles): Renewal {
    this.#files = files
    for (const server of this.#servers) server.setSecureContext(files)
    const { subject, validTo } = new X509Certificate(files.cert)
    this.#logger.info({ subject, validTo }, 'a renewed certificate is served')
    return 'renewed'
  }
}

function isSame(a: TlsFiles, b: TlsFiles): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key)
}

/** @throws SettingsError */
async function readTls({ tlsCertificate, tlsKey }: TlsPaths): Promise<TlsFiles | undefined> {
  if (tlsCertificate === undefined || tlsKey === undefined) return undefined
  const files = {
    cert: await readPem('WEIR_TLS_CERT', tlsCertificate),
    key: await readPem('WEIR_TLS_KEY', tlsKey),
  }
  try {
    createSecureContext(files)
  } catch (cause) {
    throw new SettingsError([
      `WEIR_TLS_CERT (${tlsCertificate}) and WEIR_TLS_KEY (${tlsKey}) cannot be used together: ` +
        `${(cause as Error).message}. Use a PEM certificate and the matching key, without a passphrase.`,
    ])
  }
  return files
}

async function readPem(name: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new SettingsError([`${name} cannot be read: ${(cause as Error).message}`])
  }
}
