import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credentials } from '../../deploy/data-directory.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
const READY_WITHIN_MS = 30_000

/** The real program in a process of its own, on a data folder of its own. */
export class RunningWeir {
  readonly directory: string
  readonly #settings: Readonly<Record<string, string>>
  #process: ChildProcess | undefined
  #output = ''

  private constructor(settings: Readonly<Record<string, string>>) {
    this.directory = mkdtempSync(join(tmpdir(), 'weir-'))
    this.#settings = settings
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<RunningWeir> {
    const weir = new RunningWeir(settings)
    await weir.start()
    return weir
  }

  /** Everything that the program has printed so far, over all of its starts. */
  get output(): string {
    return this.#output
  }

  get credentials(): Credentials {
    return JSON.parse(readFileSync(join(this.directory, 'credentials.json'), 'utf8')) as Credentials
  }

  get running(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  get environment(): Record<string, string> {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(WEIR_|KAFKA_|CLICKHOUSE_)/.test(name),
    )
    return {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      WEIR_DATA_DIR: this.directory,
      WEIR_PORT: '0',
      LOG_LEVEL: 'warn',
      ...this.#settings,
    }
  }

  /** Starts the program again on the same folder and waits until it says that it is ready. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, 'all'], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = child
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`not ready in time:\n${this.#output}`)),
        READY_WITHIN_MS,
      )
      let printed = ''
      const note = (chunk: Buffer) => {
        this.#output += chunk.toString()
        printed += chunk.toString()
        if (!/^Weir is ready/m.test(printed)) return
        clearTimeout(timer)
        resolve()
      }
      child.stdout?.on('data', note)
      child.stderr?.on('data', note)
      child.once('exit', code => {
        clearTimeout(timer)
        reject(new Error(`ended with ${code} before it was ready:\n${this.#output}`))
      })
    })
    await ready
  }

  /** Sends a signal and waits for the end. @returns the exit code; null when a signal ended it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process
    if (child === undefined || !this.running) return child?.exitCode ?? null
    const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
    child.kill(signal)
    return ended
  }

  /** Ends the program and removes its folder. */
  async dispose(): Promise<void> {
    await this.end('SIGTERM')
    rmSync(this.directory, { recursive: true, force: true })
  }

  async get<T>(path: string): Promise<T> {
    const { apiUrl, accessToken } = this.credentials
    const response = await fetch(`${apiUrl}${path}`, { headers: { authorization: `Token ${accessToken}` } })
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  async send<T>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<T> {
    const { apiUrl, accessToken } = this.credentials
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { authorization: `Token ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
}
