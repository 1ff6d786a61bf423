import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SettingsError } from './settings/settings.ts'
import { readTls } from './tls.ts'

const CERTIFICATE = new URL('../test/data/tls/cert.pem', import.meta.url).pathname
const KEY = new URL('../test/data/tls/key.pem', import.meta.url).pathname

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-tls-'))
  writeFileSync(join(folder, 'no.pem'), 'hello')
})
afterEach(() => rmSync(folder, { recursive: true }))

function refusal(tlsCertificate: string, tlsKey: string): string {
  try {
    readTls({ tlsCertificate, tlsKey })
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('it was taken')
}

test('a certificate and its key are accepted, and can both be absent', () => {
  expect(readTls({ tlsCertificate: CERTIFICATE, tlsKey: KEY })?.cert.toString()).toContain(
    'BEGIN CERTIFICATE',
  )
  expect(readTls({ tlsCertificate: undefined, tlsKey: undefined })).toBeUndefined()
})

test('a file that is not PEM, as certificate or as key, gives a sentence with both settings and paths', () => {
  const other = join(folder, 'no.pem')
  for (const message of [refusal(other, KEY), refusal(CERTIFICATE, other)]) {
    expect(message).toContain('WEIR_TLS_CERT (')
    expect(message).toContain('WEIR_TLS_KEY (')
    expect(message).toContain(other)
    expect(message).toContain('PEM')
  }
})

test('a missing file is named with its setting', () => {
  expect(refusal(join(folder, 'none'), KEY)).toMatch(/^WEIR_TLS_CERT cannot be read: ENOENT/)
  expect(refusal(CERTIFICATE, join(folder, 'none'))).toMatch(/^WEIR_TLS_KEY cannot be read: ENOENT/)
})
