import { setTimeout as delay } from 'node:timers/promises'
import { SECOND_MS } from '../../engine/times/duration.ts'
import type { Dice } from '../support/dice.ts'
import { eventually } from '../support/exported-lines.ts'
import type { RunningWeir } from '../support/running-weir.ts'
import { Auditor } from './audit.ts'
import type { Fault } from './fault.ts'
import type { Finding } from './finding.ts'
import type { LostRecords } from './lost-records.ts'
import { conservedMetrics, countedMinutes, nodeMinutes } from './node-counters.ts'
import { occurrencesOf } from './occurrence.ts'
import { command } from './operator.ts'
import { isSum, linesInSums, PlainProcessors } from './plain-processors.ts'
import type { ThrottleRule } from './plain-throttle.ts'
import { SUMS } from './processors-pipeline.ts'
import type { SentRequest } from './sent-request.ts'
import { Site } from './site.ts'
import { inLogOrder, type StoredRow } from './stored-row.ts'
import type { Tally } from './tally.ts'

/** Lines are kept in memory until they are audited; an audit takes about as long as a fault. */
const FAULTS_PER_AUDIT = 10
/**
 * Long enough that restarts fall into it. It stays, because a longer window would lack events that a shorter one forgot.
 */
const WINDOW_MS = 4_000
/** Least limit of each key: limits range from about a tenth to most of the lines sent within a window. */
const LEAST_LIMIT = 60
const MOST_LIMIT = 400
const HURRY_MS = 120
/** The node of the default graph, which runs while no pipeline is published. */
const DEFAULT_NODE = 'own-store'
/** A line's time is that of its reception, by the same clock as ours; a little more is asked for. */
const CLOCK_MARGIN_MS = 2_000

export interface LegOptions {
  /** Begins the names of its hosts. */
  readonly name: string
  readonly seed: number
  readonly dice: Dice
  readonly tally: Tally
  readonly print: (line: string) => void
  /** Faults that meet the default graph, before a pipeline is published. */
  readonly faultsBeforePipeline: number
  /** The pipeline compares lines with an expression that costs more than the account has. */
  readonly looks?: boolean
  /** The lines go through the pipeline of ten processors. */
  readonly processors?: boolean
  /** The data folder; a temporary one when left out. */
  readonly directory?: string
}

/** A part of a campaign: faults one after the other on one data folder, which keeps its data. */
export class Leg {
  readonly #options: LegOptions
  readonly #site: Site
  readonly #auditor: Auditor
  #rule: ThrottleRule | undefined
  #faults = 0
  /** Records that the log has lost since the last audit. */
  #lost: LostRecords[] = []
  readonly #unknownMinutes = new Set<number>()

  private constructor(options: LegOptions, site: Site) {
    this.#options = options
    this.#site = site
    this.#auditor = new Auditor(options.processors === true ? new PlainProcessors() : undefined)
  }

  static async open(options: LegOptions): Promise<Leg> {
    return new Leg(options, await Site.open(options))
  }

  get directory(): string {
    return this.#site.weir.directory
  }

  /** Everything that the program has printed. */
  get output(): string {
    return this.#site.weir.output
  }

  /** Runs faults. The throttle's limit changes with each audit, when nothing is under way. */
  async run(faults: readonly Fault[]): Promise<void> {
    const { faultsBeforePipeline } = this.#options
    const [before, after] = [faults.slice(0, faultsBeforePipeline), faults.slice(faultsBeforePipeline)]
    if (before.length > 0) await this.#runAudited(before)
    for (let first = 0; first < after.length; first += FAULTS_PER_AUDIT) {
      await this.#publish()
      await this.#runAudited(after.slice(first, first + FAULTS_PER_AUDIT))
    }
  }

  /** Stops the program gracefully, and compares the counts of its nodes with the events that passed through them. */
  async finish(): Promise<void> {
    const { weir, pipeline } = this.#site
    const code = await weir.end('SIGTERM')
    if (code !== 0) this.#found([other(`the program ended with ${code} after SIGTERM`)])
    const { throttle, entrance } = pipeline
    const entrances = new Set([DEFAULT_NODE, entrance])
    const counted = await nodeMinutes(weir.directory)
    this.#found(countedMinutes(counted, this.#auditor.minutes, { entrances, throttle }, this.#unknownMinutes))
    if (this.#options.processors === true) this.#found(await verified(weir))
  }

  /** Ends the program and, unless it is to be looked into, removes its folder. */
  async close({ keepsFolder }: { readonly keepsFolder: boolean }): Promise<void> {
    await this.#site.close({ keepsFolder })
  }

  async #publish(): Promise<void> {
    const limit = LEAST_LIMIT + this.#options.dice.below(MOST_LIMIT - LEAST_LIMIT)
    this.#rule = { limit, windowMs: WINDOW_MS, looks: this.#options.looks }
    await this.#site.pipeline.publish(this.#rule)
  }

  async #runAudited(faults: readonly Fault[]): Promise<void> {
    const { name, tally } = this.#options
    const { shipper } = this.#site
    const beganMs = Date.now() - CLOCK_MARGIN_MS
    const hosts = new Set<string>()
    for (const [place, fault] of faults.entries()) {
      const host = `${name}-${this.#faults++}`
      for (const name of [host, `${host}${SUMS}`]) {
        hosts.add(name)
        tally.name(name, fault.label)
      }
      shipper.host = host
      if (place === 0) shipper.start()
      await this.#suffer(fault)
    }
    await shipper.rest()
    await this.#audit(hosts, beganMs)
  }

  async #suffer(fault: Fault): Promise<void> {
    const { tally, print } = this.#options
    const { shipper } = this.#site
    await this.#shipUntil(fault)
    const { what, sinceMs, newest, lost, odd = [] } = await fault.inject(this.#site)
    this.#found(odd.map(sentence => ({ ...other(sentence), host: shipper.host })))
    if (lost !== undefined) this.#lost.push(lost)
    for (const minuteMs of lost?.minutesMs ?? []) this.#unknownMinutes.add(minuteMs)
    shipper.inHurry = false
    const recovery = await this.#site.recovery(sinceMs, newest)
    tally.recovered(fault.label, recovery)
    const [ready, stored] = [recovery.readyMs, recovery.storedMs].map(ms => (ms / 1000).toFixed(2))
    print(`${fault.label}: ${what}; ready after ${ready} s, all stored after ${stored} s`)
  }

  /** Just before a fault all connections send without pauses, so that it meets requests at every step of their way. */
  async #shipUntil({ waitMs, intoSecondMs }: Fault): Promise<void> {
    const { shipper } = this.#site
    const aimMs =
      intoSecondMs === undefined
        ? 0
        : (intoSecondMs - ((Date.now() + waitMs) % SECOND_MS) + SECOND_MS) % SECOND_MS
    await delay(Math.max(0, waitMs + aimMs - HURRY_MS))
    shipper.inHurry = true
    await delay(HURRY_MS)
  }

  async #audit(hosts: ReadonlySet<string>, beganMs: number): Promise<void> {
    const { tally, print } = this.#options
    const site = this.#site
    await site.recovery(performance.now(), site.shipper.newestAcknowledged)
    const { sent, odd } = site.shipper.take()
    const { unanswered: unansweredBefore, failed: failedBefore } = this.#auditor
    const stored = await this.#stored(hosts, { beganMs, sent })
    const usage = await site.usage()
    const found = [
      ...odd.map(other),
      ...this.#auditor.audit({ rule: this.#rule, sent, stored, usage, lost: this.#lost.splice(0) }),
      ...conservedMetrics(await site.metrics()),
    ]
    // The usage that earlier audits saw must still be there, and nothing else.
    const total = [...usage.values()].reduce((sum, { lines }) => sum + lines, 0)
    const { lines: seen } = this.#auditor.seen
    if (total !== seen) found.push(other(`usage says ${total} lines in all, the audits have seen ${seen}`))
    for (const [host, ofHost] of Map.groupBy(stored, row => row.host)) tally.stored(host, ofHost.length)
    this.#found(found)
    const { limit } = this.#rule ?? {}
    const rule = limit === undefined ? 'no throttle' : `at most ${limit} of a key in ${WINDOW_MS} ms`
    const unanswered = `${this.#auditor.unanswered - unansweredBefore} times without an answer`
    const kept = `${stored.length} lines of ${sent.length} requests stored (${unanswered})`
    const failed = this.#auditor.failed - failedBefore
    const beyond = this.#rule?.looks === true ? `, ${failed} lines could not pay for their expression` : ''
    print(`audit: ${kept}, ${rule}${beyond}: ${found.length} findings`)
  }

  /** Windows of the aggregate leave after their lines: they are waited for. */
  async #stored(
    hosts: ReadonlySet<string>,
    { beganMs, sent }: { readonly beganMs: number; readonly sent: readonly SentRequest[] },
  ): Promise<StoredRow[]> {
    const read = () => this.#site.stored(hosts, beganMs)
    if (this.#options.processors !== true) return read()
    const linesOf = (rows: readonly StoredRow[]) => {
      const lines = inLogOrder(rows.filter(row => !isSum(row)))
      return occurrencesOf(lines, sent).occurrences.reduce(
        (sum, { request }) => sum + request.lines.length,
        0,
      )
    }
    return eventually(read, rows => linesInSums(rows) >= linesOf(rows))
  }

  #found(findings: readonly Finding[]): void {
    this.#options.tally.found(findings)
  }
}

async function verified(weir: RunningWeir): Promise<Finding[]> {
  const { code, out, err } = await command(weir, ['verify'])
  return code === 0 ? [] : [other(`weir verify ended with ${code}: ${out}${err}`)]
}

function other(sentence: string): Finding {
  return { kind: 'other', host: '', amount: 1, sentence }
}
