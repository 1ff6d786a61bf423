import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
/** Makes a Node say that it is an older one. */
const AS_OLDER_NODE = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })",
)}`

let weir: RunningWeir | undefined
const peers: Socket[] = []
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy()
  await weir?.dispose()
  weir = undefined
})

async function peer({ credentials }: RunningWeir, sent: string): Promise<void> {
  const { hostname, port } = new URL(credentials.ingestUrl)
  const socket = createConnection(Number(port), hostname)
  peers.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  await new Promise(resolve => socket.write(sent, resolve))
}

test('a stop succeeds beside silent connections and half a request, and accepted lines are stored', async () => {
  const running = await RunningWeir.start({ LOG_LEVEL: 'info' })
  weir = running
  const { ingestUrl, ingestionKey } = running.credentials
  const head = `POST /logs/ingest?hostname=h HTTP/1.1\r\nhost: h\r\napikey: ${ingestionKey}`
  await peer(running, '')
  await peer(running, head)
  await peer(running, `${head}\r\ncontent-length: 1000\r\n\r\n{"lines":[`)
  const answer = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey },
    body: JSON.stringify({ lines: [{ line: 'taken', app: 'stop' }] }),
  })
  expect(answer.status).toBe(200)
  expect(await running.end('SIGTERM')).toBe(0)
  expect(running.output).toMatch(/"msg":"stopped"/)
  expect(running.output).not.toContain('stopping took too long')
  await running.start()
  const usage = () =>
    running.get<{ name: string }[]>(`/v1/usage/apps?from=1&to=${Math.ceil(Date.now() / 1000)}`)
  expect(await eventually(usage, apps => apps.length > 0)).toMatchObject([{ name: 'stop', current_total: 1 }])
})

test('a hang-up reads level and certificate again, and the service goes on, as nohup wants it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-hang-up-'))
  const [level, cert, key] = ['level', 'cert.pem', 'key.pem'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const write = (text: string, prefix: string) => {
    writeFileSync(level, text)
    copyFileSync(new URL(`../data/tls/${prefix}cert.pem`, import.meta.url), cert)
    copyFileSync(new URL(`../data/tls/${prefix}key.pem`, import.meta.url), key)
  }
  write('warn', '')
  const settings = { LOG_LEVEL: '', LOG_LEVEL_FILE: level, WEIR_TLS_CERT: cert, WEIR_TLS_KEY: key }
  const running = await RunningWeir.start(settings)
  weir = running
  const { hostname, port } = new URL(running.credentials.apiUrl)
  const seen = async () => {
    const socket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  const first = await seen()
  write('info', 'renewed-')
  running.signal('SIGHUP')
  const said = await eventually(
    async () => running.output,
    output => output.includes('are read again'),
  )
  expect(said).toMatch(/"logLevel":"info","certificate":"(?:renewed|unchanged)"/)
  expect(await seen()).not.toBe(first)
  for (let count = 0; count < 3; count++) running.signal('SIGHUP')
  expect(running.running).toBe(true)
  expect(await running.end('SIGTERM')).toBe(0)
  expect(running.output).toMatch(/"msg":"stopped"/)
  rmSync(folder, { recursive: true })
})

test('under an older Node, kill -9 of the started process also ends the program and releases its folder', async () => {
  weir = RunningWeir.prepare()
  const launcher = spawn(process.execPath, [AS_OLDER_NODE, PROGRAM, 'all'], {
    env: weir.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of launcher.stdout) {
    printed += chunk
    if (/^Weir is ready/m.test(printed)) break
  }
  const { pid } = JSON.parse(readFileSync(join(weir.directory, 'owner.json'), 'utf8')) as { pid: number }
  expect(pid).not.toBe(launcher.pid)
  const gone = once(launcher, 'exit')
  launcher.kill('SIGKILL')
  await gone
  expect(
    await eventually(
      async () => isAlive(pid),
      alive => !alive,
    ),
  ).toBe(false)
  await weir.start()
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
