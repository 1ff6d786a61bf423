import { type ChildProcess, spawn } from 'node:child_process'

/** Result of the commands of one block. */
export interface Ran {
  /** Everything that they printed, in order. */
  readonly output: string
  /** Exit status of the last command. */
  readonly status: number
  /** Exit statuses of the commands before it that failed. */
  readonly failed: readonly number[]
}

const FAILED = /^<failed (\d+)>\n/gm
const ENDED = /^<ended (\d+)>\n$/m

/** Shell of a reader of a guide: variables and background processes of a block are there in the next one. */
export class GuideShell {
  readonly #process: ChildProcess
  #printed = ''
  #wake = Promise.withResolvers<void>()
  #over = false

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#process = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: 'pipe' })
    const note = (chunk: Buffer) => {
      this.#printed += chunk.toString()
      this.#wake.resolve()
    }
    this.#process.stdout?.on('data', note)
    this.#process.stderr?.on('data', note)
    this.#process.once('close', () => {
      this.#over = true
      this.#wake.resolve()
    })
    this.#process.stdin?.write('exec 2>&1\n')
  }

  /** Runs commands to their end. A block must be complete: an open quote would take the commands of the next one. */
  async run(commands: string): Promise<Ran> {
    this.#printed = ''
    this.#process.stdin?.write(
      `trap 'guide_status=$?; echo; echo "<failed $guide_status>"' ERR\n{\n${commands}\n} < /dev/null\nguide_status=$?; trap - ERR; echo; echo "<ended $guide_status>"\n`,
    )
    while (!ENDED.test(this.#printed)) {
      if (this.#over) throw new Error(`The shell ended:\n${this.#printed}`)
      this.#wake = Promise.withResolvers<void>()
      await this.#wake.promise
    }
    const status = Number(ENDED.exec(this.#printed)?.[1])
    const failed = [...this.#printed.matchAll(FAILED)].map(([, code]) => Number(code))
    if (status !== 0) failed.pop()
    return { output: this.#printed.replace(ENDED, '').replaceAll(FAILED, ''), status, failed }
  }

  /** Ends the shell and everything that it started. */
  async close(): Promise<void> {
    this.#process.stdin?.end('kill $(jobs -p) 2>/dev/null\nexit\n')
    while (!this.#over) {
      this.#wake = Promise.withResolvers<void>()
      await this.#wake.promise
    }
  }
}
