import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inheritedEnvironment } from '../../support/inherited-environment.ts'
import { reapProcess } from '../../support/kafka/reaper.ts'
import { LinkProxy } from './link-proxy.ts'

const PROGRAM = new URL('../../../deploy/bin/weir.mjs', import.meta.url).pathname
const PRELOAD = new URL('./process-preload.ts', import.meta.url).pathname
const RESTART_PAUSE_MS = 300
const ANSWER_WITHIN_MS = 3_000
/** A stop gives up after 9.5 s by itself. */
const ENDED_WITHIN_MS = 30_000

export type Role = 'store' | 'ingest' | 'engine' | 'api'

export interface RoleProcessOptions {
  readonly name: string
  readonly role: Role
  /** Holds its data folder, its output and its clock. */
  readonly folder: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  /** Ports that it reaches through a proxy of its own: the store's and the brokers'. */
  readonly links: readonly number[]
}

/** One real process of the cluster. Whatever ends it without being asked to starts again, as under any supervisor. */
export class RoleProcess {
  readonly name: string
  readonly role: Role
  readonly url: string
  /** Proxies by original port. */
  readonly links: ReadonlyMap<number, LinkProxy>
  readonly #options: RoleProcessOptions
  #process: ChildProcess | undefined
  #isWanted = false
  /** Sentences about unexpected ends, and about expected ends that did not come. */
  readonly #ends: string[] = []

  private constructor(options: RoleProcessOptions, links: ReadonlyMap<number, LinkProxy>) {
    this.#options = options
    this.links = links
    this.name = options.name
    this.role = options.role
    this.url = `http://127.0.0.1:${options.port}`
    this.moveClock(0)
  }

  static async prepare(options: RoleProcessOptions): Promise<RoleProcess> {
    const links = options.links.map(async port => [port, await LinkProxy.open(port)] as const)
    return new RoleProcess(options, new Map(await Promise.all(links)))
  }

  get #isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  get logPath(): string {
    return join(this.#options.folder, `${this.name}.log`)
  }

  get dataFolder(): string {
    return join(this.#options.folder, this.name)
  }

  /** Returns the sentences since the last call. */
  takeEnds(): string[] {
    return this.#ends.splice(0)
  }

  start(): void {
    this.#isWanted = true
    if (this.#isRunning) return
    const output = openSync(this.logPath, 'a')
    const child = spawn(process.execPath, ['--import', PRELOAD, PROGRAM, this.role], {
      env: this.#environment,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    reapProcess(child)
    this.#process = child
    this.note(`process ${child.pid} begins`)
    child.once('exit', (code, signal) => this.#onEnd(child, code ?? signal))
  }

  /** @returns the exit code; null when the signal ended it */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.#isWanted = false
    this.note(signal)
    const child = this.#process
    if (child === undefined || !this.#isRunning) return child?.exitCode ?? null
    const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
    child.kill(signal)
    const late = setTimeout(() => {
      this.#ends.push(`${this.name} has not ended ${ENDED_WITHIN_MS / 1000} s after ${signal}`)
      this.note('SIGKILL: it does not end')
      child.kill('SIGKILL')
    }, ENDED_WITHIN_MS)
    return ended.finally(() => clearTimeout(late))
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.note(signal)
    this.#process?.kill(signal)
  }

  moveClock(offMs: number): void {
    this.note(`the clock is ${offMs} ms off`)
    writeFileSync(this.#clockPath, String(offMs))
  }

  async isReady(): Promise<boolean> {
    const path = this.role === 'store' ? '/ping' : '/readyz'
    const answer = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    await answer.text()
    return answer.ok
  }

  async close(): Promise<void> {
    await this.end('SIGKILL')
    for (const link of this.links.values()) link.close()
  }

  /** Adds a sentence to its output, so that the output has the whole story. */
  note(what: string): void {
    appendFileSync(this.logPath, `### ${new Date().toISOString()} ${what}\n`)
  }

  get #clockPath(): string {
    return join(this.#options.folder, `${this.name}.clock`)
  }

  get #environment(): Record<string, string> {
    const links = [...this.links].map(([port, link]) => [port, link.port])
    return {
      ...inheritedEnvironment(),
      ...this.#options.settings,
      [this.role === 'store' ? 'WEIR_STORE_PORT' : 'WEIR_PORT']: String(this.#options.port),
      WEIR_DATA_DIR: this.dataFolder,
      FAULT_LINKS: JSON.stringify(Object.fromEntries(links)),
      FAULT_CLOCK: this.#clockPath,
    }
  }

  /** A start that finds no broker for long says so and ends, to be started again. */
  #foundNoBroker({ pid }: ChildProcess): boolean {
    const said = readFileSync(this.logPath, 'utf8')
    return said
      .slice(said.lastIndexOf(`process ${pid} begins`))
      .includes('\nweir: no broker of KAFKA_BROKERS')
  }

  async #onEnd(child: ChildProcess, how: number | string | null): Promise<void> {
    this.note(`process ${child.pid} has ended: ${how}`)
    if (!this.#isWanted) return
    if (!this.#foundNoBroker(child)) this.#ends.push(`${this.name} ended by itself with ${how}`)
    await delay(RESTART_PAUSE_MS)
    if (this.#isWanted) this.start()
  }
}
