import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import type { ConsoleTrouble } from './console-files.ts'

const SCRIPT = 'console.log("x")'
const PAGE =
  '<link nonce="WEIR_CSP_NONCE"><script nonce="WEIR_CSP_NONCE" src="/console/assets/a-1.js"></script>'

let folder: string
let trouble: ConsoleTrouble | undefined
let weir: TestInstallation

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-console-'))
  trouble = undefined
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'built.json'), '{}')
  writeFileSync(join(folder, 'licences.txt'), 'MIT')
  writeFileSync(join(folder, 'assets/a-1.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync(SCRIPT))
  weir = await testInstallation({ console: { folder, whyNot: () => trouble } })
})

afterEach(async () => {
  await weir.app.close()
  rmSync(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => weir.app.inject({ url, headers })

describe('the console', () => {
  test.each(['/console', '/console/', '/console/search', '/console/a/0a1b2c3d4e/pipelines/x?tab=1'])(
    '%s is the page, which is not kept',
    async url => {
      const answer = await get(url)
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store'])
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.body).toContain('/console/assets/a-1.js')
    },
  )

  test('has a policy with a nonce that is new in each answer, and no inline script', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const { headers, body } = await get('/console/')
        const policy = String(headers['content-security-policy'])
        const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1]
        expect(policy).toContain("default-src 'none'; script-src 'self';")
        expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'")
        expect(body).not.toContain('WEIR_CSP_NONCE')
        expect(body.split(`nonce="${nonce}"`)).toHaveLength(3)
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
    expect(Buffer.from(String(nonces[0]), 'base64')).toHaveLength(16)
  })

  test('keeps its assets for a year, compressed where the browser takes it', async () => {
    const plain = await get('/console/assets/a-1.js')
    expect(plain.body).toBe(SCRIPT)
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const packed = await get('/console/assets/a-1.js', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers['content-encoding']).toBe('gzip')
  })

  test.each([
    '/console/built.json',
    '/console/assets/none.js',
    '/console/assets/../built.json',
    '/console/assets/..%2fbuilt.json',
    '/console/..%2f..%2fetc%2fpasswd',
    '/console/index.html',
  ])('%s is not served', async url => {
    expect((await get(url)).statusCode).toBe(404)
  })

  test('is what the address of the service leads to', async () => {
    const answer = await get('/')
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/console/'])
  })

  test('has its licences', async () => {
    expect((await get('/console/licences.txt')).body).toBe('MIT')
  })

  test('that is being built says so with 503, and the page tries again', async () => {
    trouble = { sentence: 'It is being built.', passes: true }
    const answer = await get('/console/search')
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
    expect(answer.body).toContain('It is being built.')
    expect(answer.body).toContain('http-equiv="refresh"')
    trouble = { sentence: 'Run npm ci.', passes: false }
    const lasting = await get('/console/assets/a-1.js')
    expect([lasting.statusCode, lasting.headers['retry-after']]).toEqual([503, undefined])
    expect(lasting.body).not.toContain('refresh')
    trouble = undefined
    expect((await get('/console/search')).statusCode).toBe(200)
  })

  test('is not there when it is off, nor at the address of ingestion', async () => {
    for (const overrides of [{ console: undefined }, { only: 'ingest' as const }]) {
      const other = await testInstallation({ console: { folder, whyNot: () => undefined }, ...overrides })
      for (const url of ['/', '/console', '/console/', '/console/assets/a-1.js'])
        expect((await other.app.inject({ url })).statusCode).toBe(404)
      await other.app.close()
    }
  })
})
