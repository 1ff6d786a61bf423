import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const CERTIFICATE = new URL('../data/tls/cert.pem', import.meta.url).pathname
const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
/** Time within which a failing start ends. */
const FAILS_WITHIN_MS = 45_000
const KEY = new URL('../data/tls/key.pem', import.meta.url).pathname

let weir: RunningWeir | undefined

afterEach(async () => {
  await weir?.dispose()
  weir = undefined
})

async function post(running: RunningWeir, lines: readonly unknown[]): Promise<Response> {
  const { ingestUrl, ingestionKey } = running.credentials
  return fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
}

test('a log that is full answers 503 with a reason, and empties itself, also after a restart while it is full', async () => {
  const running = await RunningWeir.start({
    WEIR_PORT: String(await freePort()),
    WEIR_LOG_MAX_BYTES: '8MB',
    WEIR_PARTITIONS: '1',
  })
  weir = running
  // Lines that do not compress away: the log counts them as they are.
  const line = 'x'.repeat(15_000)
  let stored = 0
  let refusal: Response | undefined
  for (let request = 0; request < 200 && refusal === undefined; request++) {
    const response = await post(
      running,
      Array.from({ length: 20 }, () => ({ line })),
    )
    if (response.status === 200) stored += 20
    else refusal = response
  }
  expect(refusal?.status).toBe(503)
  expect(refusal?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refusal?.json()).toMatchObject({ code: 'ServiceUnavailable', status: 'error' })
  await running.end('SIGKILL')
  await running.start()
  const taken = await eventually(
    async () => (await post(running, [{ line: 'after' }])).status,
    status => status === 200,
  )
  expect(taken).toBe(200)
  expect(
    await eventually(
      () => countedLines(running),
      count => count >= stored + 1,
    ),
  ).toBe(stored + 1)
}, 90_000)

test('HTTPS and a second address for ingestion alone', async () => {
  const settings = {
    WEIR_TLS_CERT: CERTIFICATE,
    WEIR_TLS_KEY: KEY,
    WEIR_INGEST_PORT: String(await freePort()),
  }
  weir = await RunningWeir.start(settings)
  const { apiUrl, ingestUrl, ingestionKey, accessToken } = weir.credentials
  expect(apiUrl).toMatch(/^https:/)
  expect(ingestUrl).not.toBe(apiUrl)
  const headers = { apikey: ingestionKey, 'content-type': 'application/json' }
  const taken = await overTls(
    `${ingestUrl}/logs/ingest?hostname=h`,
    'POST',
    headers,
    '{"lines":[{"line":"a"}]}',
  )
  expect(taken).toMatchObject({ status: 200 })
  const authorization = { authorization: `Token ${accessToken}` }
  expect((await overTls(`${ingestUrl}/v3/pipeline`, 'GET', authorization)).status).toBe(404)
  expect((await overTls(`${apiUrl}/v3/pipeline`, 'GET', authorization)).status).toBe(200)
})

test('settings that cannot be used stop the start with a sentence for each', async () => {
  const start = RunningWeir.start({ WEIR_PORT: '99999', LOG_LEVEL: 'loud' })
  await expect(start).rejects.toThrow(/weir: LOG_LEVEL must be[\s\S]*weir: WEIR_PORT must be/)
})

test('service links of an orchestrator are reported in a line of the log, and the start goes on', async () => {
  weir = await RunningWeir.start({
    LOG_LEVEL: 'info',
    WEIR_INGEST_PORT: 'tcp://10.0.0.1:8081',
    WEIR_SERVICE_HOST: '10.0.0.1',
    WEIR_PORT_8080_TCP_ADDR: '10.0.0.1',
  })
  const said = weir.output.split('\n').find(line => line.includes('service links of the orchestrator'))
  expect(JSON.parse(said as string)).toMatchObject({
    names: ['WEIR_INGEST_PORT', 'WEIR_SERVICE_HOST', 'WEIR_PORT_8080_TCP_ADDR'],
  })
  expect(weir.credentials.ingestUrl).toBe(weir.credentials.apiUrl)
})

test('a first start into a journal prints how to read its credentials, and no start prints or logs a secret', async () => {
  weir = await RunningWeir.start({ LOG_LEVEL: 'trace' })
  const { directory, environment, credentials } = weir
  const { accountId, accessToken, ingestionKey, enterpriseAccessToken, serviceKey } = credentials
  expect(weir.output).toContain(`A new account was created: ${accountId}.`)
  expect(weir.output).toContain(`WEIR_DATA_DIR='${directory}' npx weir credentials`)
  expect(weir.output).not.toContain('curl')
  const printed = await runHere(['credentials', '--json'], environment)
  const { isNew: _, ...whole } = credentials
  expect(JSON.parse(printed.out)).toEqual(whole)
  const first = weir.output.length
  await post(weir, [{ line: 'a' }])
  await weir.get(`/v1/usage/apps?from=1&to=2`)
  await weir.end('SIGTERM')
  await weir.start()
  for (const secret of [accessToken, ingestionKey, enterpriseAccessToken, serviceKey])
    expect(weir.output).not.toContain(secret)
  expect(weir.output.slice(first)).not.toContain('A new account')
  expect(readFileSync(join(directory, 'credentials.json'), 'utf8')).toContain(accessToken)
})

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0
if (!hasTerminal)
  console.warn('Skipped: the first start at a terminal needs "script" of util-linux, which is not here')

test.skipIf(!hasTerminal)(
  'a first start at a terminal prints three commands with the real credentials',
  async () => {
    weir = RunningWeir.prepare()
    const { directory, environment } = weir
    const command = [process.execPath, PROGRAM, 'all'].map(part => `'${part}'`).join(' ')
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { env: environment })
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    const ended = new Promise<number | null>(resolve => terminal.once('close', resolve))
    const complete = await eventually(
      async () => shown.includes('show its usage'),
      isShown => isShown || terminal.exitCode !== null,
    )
    expect([complete, shown]).toEqual([true, expect.stringContaining('Weir is ready: ')])
    const { accessToken, ingestionKey, ingestUrl } = weir.credentials
    expect(shown.match(/^ {2}curl /gm)).toHaveLength(3)
    expect(shown).toContain(`'${ingestUrl}/logs/ingest?hostname=my-host' -H 'apikey: ${ingestionKey}'`)
    expect(shown).toContain(`Authorization: Token ${accessToken}`)
    const { pid } = JSON.parse(readFileSync(join(directory, 'owner.json'), 'utf8')) as { pid: number }
    process.kill(pid, 'SIGTERM')
    expect(await ended).toBe(0)
  },
  60_000,
)

describe('a start of an installation that was stopped', () => {
  let stopped: RunningWeir

  beforeAll(async () => {
    stopped = await RunningWeir.start()
    await post(stopped, [{ line: 'a' }])
    await eventually(
      () => countedLines(stopped),
      count => count === 1,
    )
    await stopped.end('SIGTERM')
  })
  // Refused starts, once put right, have lost nothing.
  afterAll(async () => {
    await stopped.start()
    expect(await countedLines(stopped)).toBe(1)
    await stopped.dispose()
  })

  test('by an older program is refused', async () => {
    const file = join(stopped.directory, 'format.json')
    const format = readFileSync(file)
    writeFileSync(file, '{"format":3}')
    const { output } = await failedStart(stopped.environment)
    expect(output).toMatch(/has format 3, but this program supports 2: start the newer program/)
    writeFileSync(file, format)
  })

  test('on a port that is taken, or on an unknown host, ends with a sentence', async () => {
    const other = createServer()
    const port = await freePort()
    await new Promise<void>(resolve => other.listen(port, '127.0.0.1', resolve))
    const taken = await failedStart({ ...stopped.environment, WEIR_PORT: String(port) })
    await new Promise(resolve => other.close(resolve))
    expect(taken).toEqual({
      code: 2,
      output: `weir: cannot listen on 127.0.0.1:${port} (WEIR_HOST, WEIR_PORT): another program listens there\n`,
    })
    // It has released the data folder: the next start gets as far.
    const unknown = await failedStart({ ...stopped.environment, WEIR_HOST: 'no-such-host.invalid' })
    expect(unknown.code).toBe(2)
    expect(unknown.output).toContain('cannot listen on no-such-host.invalid:0')
  }, 120_000)

  test('is refused each time while the store is missing or empty under the log that filled it', async () => {
    const store = join(stopped.directory, 'store')
    const kept = join(stopped.directory, 'kept')
    renameSync(store, kept)
    const gone = await failedStart(stopped.environment)
    expect(gone.output).toContain(`weir: ${store} is missing or empty`)
    expect(gone.output).toContain('restore it from the backup')
    expect(gone.code).toBe(1)
    expect(existsSync(store)).toBe(false)
    mkdirSync(store)
    for (const start of ['first', 'second']) {
      const { code, output } = await failedStart(stopped.environment)
      expect([start, code, output]).toEqual([start, 1, gone.output])
    }
    rmSync(store, { recursive: true })
    renameSync(kept, store)
  }, 90_000)

  test('with another secret key, none, or another number of partitions than the log has, is refused', async () => {
    const { directory, environment } = stopped
    const key = join(directory, 'secret.key')
    const wrong = await failedStart({ ...environment, WEIR_SECRET_KEY: 'a'.repeat(64) })
    expect(wrong).toEqual({
      code: 2,
      output:
        `weir: WEIR_SECRET_KEY is not the key that encrypted the secrets on the log in ${join(directory, 'log')}: ` +
        `remove the setting, so that the key in ${key} is used, or set the earlier key\n`,
    })
    const partitions = await failedStart({ ...environment, WEIR_PARTITIONS: '8' })
    expect(partitions.code).toBe(2)
    expect(partitions.output).toMatch(/^weir: WEIR_PARTITIONS is 8, .* has 4 partitions, not 8: .*\n$/)
    renameSync(key, `${key}.away`)
    const gone = await failedStart(environment)
    expect(gone.code).toBe(1)
    expect(gone.output).toMatch(
      /^weir: .*secret\.key is missing, .*restore the file from a backup, or set WEIR_SECRET_KEY/,
    )
    expect(existsSync(key)).toBe(false)
    renameSync(`${key}.away`, key)
  }, 120_000)
})

describe('a start that cannot work ends with a sentence', () => {
  let folder: string
  let environment: Record<string, string>
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-failing-'))
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WEIR_'))
    environment = { ...Object.fromEntries(inherited), WEIR_DATA_DIR: join(folder, 'data'), WEIR_PORT: '0' }
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('a certificate that is none', async () => {
    writeFileSync(join(folder, 'none.pem'), 'hello')
    const files = { WEIR_TLS_CERT: join(folder, 'none.pem'), WEIR_TLS_KEY: KEY }
    const { code, output } = await failedStart({ ...environment, ...files })
    expect(output).toMatch(/^weir: WEIR_TLS_CERT .* and WEIR_TLS_KEY .*\n$/)
    expect(code).toBe(2)
  })

  test('a proxy that is not an address', async () => {
    const { code, output } = await failedStart({ ...environment, WEIR_TRUSTED_PROXIES: 'abc' })
    expect(output).toMatch(/^weir: WEIR_TRUSTED_PROXIES must be an address or a network.*\n$/)
    expect(code).toBe(2)
  })

  test('a setting that nobody knows, in every role', async () => {
    for (const role of ['all', 'ingest', 'api', 'engine', 'store']) {
      const { code, output } = await failedStart({ ...environment, WEIR_PROT: '1' }, undefined, role)
      const sentence = 'weir: WEIR_PROT is not a setting of Weir; did you mean "WEIR_PORT"?\n'
      expect([role, code, output]).toEqual([role, 2, sentence])
    }
  })

  test('an .env that is a folder', async () => {
    mkdirSync(join(folder, '.env'))
    const { code, output } = await failedStart(environment, folder)
    expect(output).toMatch(/^weir: .*\/\.env cannot be read .*\n$/)
    expect(code).toBe(2)
  })

  test('a first one on a port that is taken leaves the word about credentials to the one that succeeds', async () => {
    const other = createServer()
    const port = await freePort()
    await new Promise<void>(resolve => other.listen(port, '127.0.0.1', resolve))
    weir = RunningWeir.prepare({ WEIR_PORT: String(port) })
    const { code, output } = await failedStart(weir.environment)
    expect([code, output]).toEqual([2, expect.stringContaining('another program listens there')])
    await new Promise(resolve => other.close(resolve))
    await weir.start()
    expect(weir.output).toContain('A new account was created: ')
  }, 120_000)

  test('a data folder where none can be', async () => {
    const { code, output } = await failedStart({ ...environment, WEIR_DATA_DIR: '/proc/nope' })
    expect(output).toMatch(/^weir: WEIR_DATA_DIR: cannot create \/proc\/nope: .*\n$/)
    expect(code).toBe(2)
  })
})

/** Starts the program, which is to end by itself. @returns code null when it had to be killed */
async function failedStart(
  environment: Record<string, string>,
  directory?: string,
  role = 'all',
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [PROGRAM, role], {
    env: environment,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: FAILS_WITHIN_MS,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, output }
}

function overTls(
  url: string,
  method: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, ca: readFileSync(CERTIFICATE) }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
