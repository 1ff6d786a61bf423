import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunningWeir } from '../../support/running-weir.ts'
import { type CollectorTotals, collectorTotals } from './collector-totals.ts'

const PRELOADS = ['collector-preload.ts', 'condition-cache-preload.ts']

/** The real program on a new folder. Its collections are counted, and no search of it is answered from a cache. */
export class ObservedWeir {
  readonly program: RunningWeir
  readonly #totals: string

  private constructor(program: RunningWeir, totals: string) {
    this.program = program
    this.#totals = totals
  }

  static async start(): Promise<ObservedWeir> {
    const directory = mkdtempSync(join(tmpdir(), 'weir-bench-'))
    const totals = join(directory, 'collector.json')
    const options = PRELOADS.map(file => `--import ${new URL(file, import.meta.url).pathname}`)
    const settings = { NODE_OPTIONS: options.join(' '), COLLECTOR_TOTALS: totals }
    return new ObservedWeir(await RunningWeir.start(settings, directory), totals)
  }

  get pid(): number {
    const { pid } = this.program
    if (pid === undefined) throw new Error(`the program has ended:\n${this.program.output}`)
    return pid
  }

  collector(): CollectorTotals {
    return collectorTotals(this.#totals)
  }

  /** Folder of a table of the embedded engine, which holds its parts. */
  tableFolder(table: string): string {
    return join(this.storeFolder, 'data', 'weir', table)
  }

  get storeFolder(): string {
    return join(this.program.directory, 'store')
  }

  /** The sum of a metric over all its labels; undefined when the program has no metric of that name. */
  async metric(name: string): Promise<number | undefined> {
    const { apiUrl, accessToken } = this.program.credentials
    const response = await fetch(`${apiUrl}/metrics`, { headers: { authorization: `Token ${accessToken}` } })
    return metricSum(await response.text(), name)
  }
}

export function metricSum(text: string, name: string): number | undefined {
  let sum: number | undefined
  for (const line of text.split('\n')) {
    const rest = line.startsWith(name) ? line.slice(name.length) : ''
    if (rest[0] !== ' ' && rest[0] !== '{') continue
    sum = (sum ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return sum
}
