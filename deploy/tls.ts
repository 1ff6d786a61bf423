import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type Settings, SettingsError } from './settings/settings.ts'

/** A certificate with its chain and the matching key, both PEM. */
export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * Reads the files for HTTPS and tests them before anything is opened.
 *
 * @returns undefined when the settings name no certificate
 * @throws SettingsError when a file cannot be read, is not PEM, or the two do not match
 */
export function readTls({
  tlsCertificate,
  tlsKey,
}: Pick<Settings, 'tlsCertificate' | 'tlsKey'>): TlsFiles | undefined {
  if (tlsCertificate === undefined || tlsKey === undefined) return undefined
  const files = { cert: readPem('WEIR_TLS_CERT', tlsCertificate), key: readPem('WEIR_TLS_KEY', tlsKey) }
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

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new SettingsError([`${name} cannot be read: ${(cause as Error).message}`])
  }
}
