import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'
import { noAnswer } from './api-client.ts'

const FILES = new URL('../../test/data/tls/', import.meta.url)
const ADDRESS = { url: 'https://logs', secret: { value: 'x', origin: 'WEIR_ACCESS_TOKEN' } }

describe('certificate errors', () => {
  test('a service with an unknown certificate is distinguished from one that does not run', async () => {
    const server = createServer({
      cert: readFileSync(new URL('cert.pem', FILES)),
      key: readFileSync(new URL('key.pem', FILES)),
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const line: CommandLine = await commandLine()
    const env = { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'x', WEIR_INGESTION_KEY: 'x' }
    const ends = [
      await line.run(['usage'], { env }),
      // Shipping does not wait for an invalid certificate either.
      await line.run(['ship', new URL('cert.pem', FILES).pathname], { env }),
    ]
    await line.close()
    await new Promise(resolve => server.close(resolve))
    for (const { code, err } of ends) {
      expect(code).toBe(3)
      expect(err).toContain(`The certificate of ${url} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`)
      expect(err).toContain('Set NODE_EXTRA_CA_CERTS')
      expect(err).not.toContain('npm start')
      expect(err).not.toContain('trying again')
    }
  })

  test.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'Set NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'Set NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', 'Renew it'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another host name'],
  ])('%s is found below other errors and gives: %s', (code, sentence) => {
    const cause = Object.assign(new Error('tls'), { code })
    const wrapped = new TypeError('fetch failed', { cause: new Error('between', { cause }) })
    for (const error of [wrapped, new TypeError('fetch failed', { cause: new AggregateError([cause]) })]) {
      const { message } = noAnswer(ADDRESS, error)
      expect(message).toContain(sentence)
      expect(message).toContain(code)
    }
  })

  test('a refused connection is not reported as a certificate error', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    expect(noAnswer(ADDRESS, new TypeError('fetch failed', { cause })).message).toContain('Nothing answers')
  })
})
