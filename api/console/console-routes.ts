import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import serveFiles from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { notFound } from '../http/errors.ts'
import type { ConsoleFiles, ConsoleTrouble } from './console-files.ts'

export interface ConsoleRoutesOptions {
  readonly files: ConsoleFiles
}

const NONCE_BYTES = 16
/** Place of the nonce in the built page. */
const NONCE_PLACE = 'WEIR_CSP_NONCE'
const YEAR_MS = 365 * DAY_MS
const RETRY_AFTER_S = 2
const HTML = 'text/html; charset=utf-8'

/** Files with hashed names: another content has another name. */
const ASSET = /^assets\/[\w.-]+$/
const LICENCES = 'licences.txt'

/** The console under `/console/`. All its addresses without a dot give the same page, which reads the address. */
export const consoleRoutes: FastifyPluginAsync<ConsoleRoutesOptions> = async (app, { files }) => {
  const { entropy } = app.ports
  const hidden = { config: { needs: 'public' as const }, schema: { hide: true } }
  await app.register(serveFiles, { root: files.folder, serve: false, preCompressed: true })

  const send = async (path: string, reply: FastifyReply) => {
    const trouble = files.whyNot()
    if (trouble !== undefined) return sendTrouble(reply, trouble, entropy)
    if (ASSET.test(path)) return reply.sendFile(path, { maxAge: YEAR_MS, immutable: true })
    if (path === LICENCES) return reply.type('text/plain; charset=utf-8').sendFile(path)
    if (path.includes('.')) throw notFound()
    const page = await readFile(join(files.folder, 'index.html'), 'utf8')
    const nonce = newNonce(entropy)
    return reply.headers(pageHeaders(nonce)).type(HTML).send(page.replaceAll(NONCE_PLACE, nonce))
  }

  app.get('/', hidden, async (_request, reply) => reply.redirect('/console/', 302))
  // With and without the slash at its end, which the router does not tell apart.
  app.get('/console', hidden, async (_request, reply) => send('', reply))
  app.get<{ Params: { '*': string } }>('/console/*', hidden, async ({ params }, reply) =>
    send(params['*'], reply),
  )
}

function newNonce(entropy: Entropy): string {
  return Buffer.from(entropy.bytes(NONCE_BYTES)).toString('base64')
}

function pageHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'none'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cache-control': 'no-store',
  }
}

function sendTrouble(
  reply: FastifyReply,
  { sentence, passes }: ConsoleTrouble,
  entropy: Entropy,
): FastifyReply {
  const nonce = newNonce(entropy)
  const refresh = passes ? `<meta http-equiv="refresh" content="${RETRY_AFTER_S}">` : ''
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Weir</title>${refresh}
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style nonce="${nonce}">body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1.5rem}</style>
</head><body><h1>The console is not ready</h1><p>${sentence}</p><p>The API and ingestion work.</p></body></html>
`
  const retry = passes ? { 'retry-after': String(RETRY_AFTER_S) } : {}
  return reply
    .code(503)
    .headers({ ...pageHeaders(nonce), ...retry })
    .type(HTML)
    .send(page)
}
