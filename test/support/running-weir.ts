import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Credentials } from '../../deploy/data-directory.ts'
import { inheritedEnvironment } from './inherited-environment.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
const READY_WITHIN_MS = 90_000

/** The real program in a process of its own, on a data folder of its own. */
export class RunningWeir {
  readonly directory: string
  #settings: Readonly<Record<string, string>>
  #process: ChildProcess | undefined
  #output = ''

  private constructor(settings: Readonly<Record<string, string>>, directory: string) {
    this.directory = directory
    this.#settings = settings
  }

  /** @param directory the data folder; a new one below the temporary folder when left out */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    directory = mkdtempSync(join(tmpdir(), 'weir-')),
  ): Promise<RunningWeir> {
    const weir = RunningWeir.prepare(settings, directory)
    try {
      await weir.start()
    } catch (error) {
      // It may merely have been late.
      await weir.end('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
      throw error
    }
    return weir
  }

  /** Like `start`, without starting it yet. */
  static prepare(
    settings: Readonly<Record<string, string>> = {},
    directory = mkdtempSync(join(tmpdir(), 'weir-')),
  ): RunningWeir {
    return new RunningWeir(settings, directory)
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

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.running ? this.#process?.pid : undefined
  }

  get environment(): Record<string, string> {
    return {
      ...inheritedEnvironment(),
      WEIR_DATA_DIR: this.directory,
      WEIR_PORT: '0',
      LOG_LEVEL: 'warn',
      ...this.#settings,
    }
  }

  /** Starts the program again on the same folder and waits until it says that it is ready, or something else. */
  async start(says = /^Weir is ready/m): Promise<void> {
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
        if (!says.test(printed)) return
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

  /** Makes the next start listen at the present address again. */
  keepPort(): void {
    this.#settings = { ...this.#settings, WEIR_PORT: new URL(this.credentials.apiUrl).port }
  }

  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Sends a signal and waits for the end. @returns the exit code; null when a signal ended it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.running) this.#process?.kill(signal)
    return this.ended()
  }

  /** Waits until the program ends by itself. @returns as `end` */
  async ended(): Promise<number | null> {
    const child = this.#process
    if (child === undefined || !this.running) return child?.exitCode ?? null
    return new Promise(resolve => child.once('exit', resolve))
  }

  /** Ends the program and removes its folder. */
  async dispose(): Promise<void> {
    await this.end('SIGTERM')
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** Ships a file by the command line. @returns its summary, with the exit code */
  async ship(path: string, host: string): Promise<{ code: number | null; summary: Record<string, unknown> }> {
    const options = ['--host', host, '--app', `app-${host}`, '--json']
    const child = spawn(process.execPath, [PROGRAM, 'ship', path, ...options], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', chunk => {
      printed += chunk
    })
    const code = await new Promise<number | null>(resolve => child.once('close', resolve))
    return { code, summary: JSON.parse(printed) as Record<string, unknown> }
  }

  async get<T>(path: string): Promise<T> {
    const { apiUrl, accessToken } = this.credentials
    const response = await fetch(`${apiUrl}${path}`, { headers: { authorization: `Token ${accessToken}` } })
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  /** Adds a configuration object, such as a pipeline or a node. @returns its id */
  async create(path: string, body: unknown): Promise<string> {
    return (await this.send<{ data: { id: string } }>('POST', path, body)).data.id
  }

  async send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<T> {
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
