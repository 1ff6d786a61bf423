import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const TLS = join(import.meta.dirname, '../data/tls')

/** A schema registry behind a proxy, as in companies: it asks for a password, and speaks HTTPS where that is wanted. */
export interface RegistryProxy {
  readonly url: string
  /** Method and path of everything that was asked with the right password. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

export interface ProxyOptions {
  readonly login?: string
  readonly tls?: boolean
}

/** @param registryUrl where to answers come from @param options `login` is user:password */
export async function startRegistryProxy(
  registryUrl: string,
  { login, tls = false }: ProxyOptions = {},
): Promise<RegistryProxy> {
  const asked: string[] = []
  const expected = login && `Basic ${Buffer.from(login).toString('base64')}`
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error_code: 40101, message: 'Unauthorized' }))
      return
    }
    asked.push(`${request.method} ${request.url}`)
    const answered = await fetch(`${registryUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      ...(request.method !== 'GET' && { body: await bodyOf(request) }),
    })
    response.writeHead(answered.status, { 'content-type': 'application/json' })
    response.end(await answered.text())
  }
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  }
  const files = { cert: readFileSync(join(TLS, 'cert.pem')), key: readFileSync(join(TLS, 'key.pem')) }
  const server = tls ? createTlsServer(files, listener) : createServer(listener)
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
