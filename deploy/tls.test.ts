import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '../engine/logger.ts'
import { SettingsError } from './settings/settings.ts'
import { RenewedTls } from './tls.ts'

const CERTIFICATE = new URL('../test/data/tls/cert.pem', import.meta.url).pathname
const KEY = new URL('../test/data/tls/key.pem', import.meta.url).pathname
/** Another certificate for the same name, with a key of its own. */
const RENEWED = new URL('../test/data/tls/renewed-cert.pem', import.meta.url).pathname
const RENEWED_KEY = new URL('../test/data/tls/renewed-key.pem', import.meta.url).pathname

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-tls-'))
  writeFileSync(join(folder, 'no.pem'), 'hello')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function refusal(tlsCertificate: string, tlsKey: string): Promise<string> {
  try {
    await RenewedTls.open({ tlsCertificate, tlsKey }, silentLogger)
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('it was taken')
}

test('a certificate and its key are accepted, and can both be absent', async () => {
  const given = await RenewedTls.open({ tlsCertificate: CERTIFICATE, tlsKey: KEY }, silentLogger)
  expect(given?.files.cert.toString()).toContain('BEGIN CERTIFICATE')
  const absent = { tlsCertificate: undefined, tlsKey: undefined }
  expect(await RenewedTls.open(absent, silentLogger)).toBeUndefined()
})

test('a file that is not PEM, as certificate or as key, gives a sentence with both settings and paths', async () => {
  const other = join(folder, 'no.pem')
  for (const message of [await refusal(other, KEY), await refusal(CERTIFICATE, other)]) {
    expect(message).toContain('WEIR_TLS_CERT (')
    expect(message).toContain('WEIR_TLS_KEY (')
    expect(message).toContain(other)
    expect(message).toContain('PEM')
  }
})

test('a missing file is named with its setting', async () => {
  expect(await refusal(join(folder, 'none'), KEY)).toMatch(/^WEIR_TLS_CERT cannot be read: ENOENT/)
  expect(await refusal(CERTIFICATE, join(folder, 'none'))).toMatch(/^WEIR_TLS_KEY cannot be read: ENOENT/)
})

describe('renewal', () => {
  /** Files of the certificate in the folder, with a server that uses them and the lines of the log. */
  async function served() {
    const paths = { tlsCertificate: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') }
    const write = (certificate: string, key: string) => {
      copyFileSync(certificate, paths.tlsCertificate)
      copyFileSync(key, paths.tlsKey)
    }
    write(CERTIFICATE, KEY)
    const said: string[] = []
    const note = (_: object, message: string) => void said.push(message)
    const tls = await RenewedTls.open(paths, { ...silentLogger, error: note, info: note })
    if (tls === undefined) throw new Error('the settings name a certificate')
    const server = createServer({ ...tls.files }, (_, response) => response.end('ok'))
    tls.renewAt(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { tls, write, said, port, server }
  }

  /** The certificate that a new connection sees, as a PEM text. */
  async function seenAt(port: number): Promise<string> {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { raw } = socket.getPeerCertificate()
    socket.destroy()
    return raw.toString('base64')
  }

  const bare = (path: string) => readFileSync(path, 'utf8').replace(/-----[^-]+-----|\n/g, '')

  test('new connections see a renewed certificate, and unchanged files change nothing', async () => {
    const { tls, write, said, port, server } = await served()
    expect(await tls.reload()).toBe('unchanged')
    expect(await seenAt(port)).toBe(bare(CERTIFICATE))
    write(RENEWED, RENEWED_KEY)
    expect(await tls.reload()).toBe('renewed')
    expect(await seenAt(port)).toBe(bare(RENEWED))
    expect(said).toEqual(['a renewed certificate is served'])
    server.close()
  })

  test('the present certificate stays while one of the files is older, damaged or missing, with one message for each', async () => {
    const { tls, write, said, port, server } = await served()
    write(RENEWED, KEY)
    for (let look = 0; look < 3; look++) expect(await tls.reload()).toBe('refused')
    expect(said).toEqual([expect.stringMatching(/the present one stays: .*cannot be used together/)])
    write(join(folder, 'no.pem'), RENEWED_KEY)
    expect(await tls.reload()).toBe('refused')
    rmSync(join(folder, 'cert.pem'))
    expect(await tls.reload()).toBe('refused')
    expect(said.at(-1)).toContain('WEIR_TLS_CERT cannot be read: ENOENT')
    expect(await seenAt(port)).toBe(bare(CERTIFICATE))
    write(RENEWED, RENEWED_KEY)
    expect(await tls.reload()).toBe('renewed')
    expect(await seenAt(port)).toBe(bare(RENEWED))
    server.close()
  })

  test('files are looked at again and again, without a signal', async () => {
    const { tls, write, port, server } = await served()
    tls.follow(5)
    write(RENEWED, RENEWED_KEY)
    let seen = ''
    while (seen !== bare(RENEWED)) seen = await seenAt(port)
    write(CERTIFICATE, KEY)
    while (seen !== bare(CERTIFICATE)) seen = await seenAt(port)
    tls.close()
    server.close()
  })
})
