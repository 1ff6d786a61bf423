import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { runHere } from '../../../test/support/command-world.ts'
import { servedCommandLine } from '../../../test/support/served-command-line.ts'

const health = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runHere(['health', ...args], env)

const CERTIFICATE = new URL('../../../test/data/tls/cert.pem', import.meta.url).pathname
const KEY = new URL('../../../test/data/tls/key.pem', import.meta.url).pathname

const portOf = (server: Server) => String((server.address() as AddressInfo).port)

async function listening<S extends Server>(server: S): Promise<S> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

describe('weir health', () => {
  test('asks the process at the port of the settings', async () => {
    const weir = await servedCommandLine()
    const port = new URL(weir.env.WEIR_URL as string).port
    expect(await health({ WEIR_PORT: port, WEIR_HOST: '0.0.0.0' })).toEqual({
      code: 0,
      out: `http://127.0.0.1:${port}/healthz answers 200.\n`,
      err: '',
    })
    for (const args of [['--ready'], ['--ready', '--for', 'ingest']])
      expect(await health({ WEIR_PORT: port }, ...args)).toMatchObject({ code: 0, err: '' })
    await weir.line.writeCredentials({ apiUrl: weir.env.WEIR_URL as string })
    expect(await health({ WEIR_PORT: '0', WEIR_DATA_DIR: weir.line.folder })).toMatchObject({ code: 0 })
    await weir.close()
  })

  test('prefers the port of metrics', async () => {
    const asked: string[] = []
    const server = await listening(
      createServer((request, response) => {
        asked.push(String(request.url))
        response.writeHead(503).end('no engine\n')
      }),
    )
    const shown = await health({ WEIR_PORT: '1', WEIR_METRICS_PORT: portOf(server) }, '--ready')
    expect([shown.code, shown.out, asked]).toEqual([
      1,
      `http://127.0.0.1:${portOf(server)}/readyz answers 503: no engine\n`,
      ['/readyz'],
    ])
    const store = await health({ WEIR_STORE_PORT: portOf(server) }, '--store')
    expect([store.code, asked[1]]).toEqual([1, '/ping'])
    server.close()
  })

  test('uses HTTPS where the server does, whoever signed the certificate', async () => {
    const files = { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) }
    const server = await listening(createTlsServer(files, (_, response) => void response.end('ok\n')))
    const env = { WEIR_PORT: portOf(server), WEIR_TLS_CERT: CERTIFICATE, WEIR_TLS_KEY: KEY }
    expect(await health(env)).toMatchObject({
      code: 0,
      out: `https://127.0.0.1:${portOf(server)}/healthz answers 200.\n`,
    })
    server.close()
  })

  test('a port at which nothing answers gives exit code 3', async () => {
    const free = await listening(createTcpServer())
    const port = portOf(free)
    await new Promise(resolve => free.close(resolve))
    expect(await health({ WEIR_PORT: port })).toEqual({
      code: 3,
      out: '',
      err: expect.stringContaining(`http://127.0.0.1:${port}/healthz does not answer: connect ECONNREFUSED`),
    })
  })

  test('a process that accepts connections and is silent does not live', async () => {
    const sockets: Socket[] = []
    const silent = await listening(createTcpServer(socket => void sockets.push(socket)))
    expect(await health({ WEIR_PORT: portOf(silent) })).toMatchObject({
      code: 3,
      err: expect.stringContaining('does not answer: no answer within 3 s'),
    })
    silent.close()
    for (const socket of sockets) socket.destroy()
  })

  test.each([
    [['--for', 'ingest'], {}, '--for needs --ready.'],
    [['--ready', '--for', 'lines'], {}, '--for must be ingest, not "lines".'],
    [['--ready', '--store'], {}, '--store asks whether the process is alive: leave out --ready.'],
    [[], { WEIR_PORT: '99999' }, 'WEIR_PORT must be a whole number from 0 to 65535.'],
    [['--store'], { WEIR_STORE_PORT: '0' }, 'With WEIR_STORE_PORT=0 the port of the store is not known'],
  ])('%s with %o is refused', async (args, env, sentence) => {
    expect(await health(env, ...args)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) })
  })
})
