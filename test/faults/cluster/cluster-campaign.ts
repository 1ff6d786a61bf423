import { setTimeout as delay } from 'node:timers/promises'
import { type Dice, newDice } from '../../support/dice.ts'
import type { KafkaCluster } from '../../support/kafka/kafka-cluster.ts'
import { Auditor } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { countedMinutes, nodeMinutes } from '../node-counters.ts'
import type { ThrottleRule } from '../plain-throttle.ts'
import type { Tally } from '../tally.ts'
import { auditedAccount } from './account-audit.ts'
import { type ClusterFault, clusterFaultKinds, plannedClusterFaults } from './cluster-faults.ts'
import { ClusterSite } from './cluster-site.ts'

/** Lines are kept in memory until they are audited. */
const FAULTS_PER_AUDIT = 6
/**
 * Long enough that partitions change hands in it. It stays, because a longer window would lack events that a shorter one
 * forgot.
 */
const WINDOW_MS = 6_000
/** Least limit of each key: the limits range from a part to most of the lines that an account sends within a window. */
const LEAST_LIMIT = 20
const MOST_LIMIT = 160

export interface ClusterCampaignOptions {
  readonly seed: number
  readonly faults: number
  /** If set, only kinds of faults whose label contains this text are used. */
  readonly only?: string | undefined
}

/**
 * Injects faults into a cluster of real processes while lines are shipped to it, and audits the kept data. The seed
 * determines the lines, the faults, their order and their instants; how they meet depends on the machine.
 *
 * @throws Error when a process does not come back
 */
export async function runClusterCampaign(
  kafka: KafkaCluster,
  { seed, faults, only }: ClusterCampaignOptions,
  tally: Tally,
  print: (line: string) => void,
): Promise<void> {
  const dice = newDice(seed)
  const planned = plannedClusterFaults(dice, faults, clusterFaultKinds(only))
  const site = await ClusterSite.open(kafka, seed)
  const campaign = new Campaign(site, dice, tally, print)
  let hasEnded = false
  try {
    await site.start()
    await campaign.run(planned)
    await campaign.finish()
    hasEnded = true
  } finally {
    const keepsFolder = !hasEnded || tally.findings.length > 0
    if (keepsFolder) print(`what the processes said, and the store, is kept: ${site.folder} (seed ${seed})`)
    await site.close({ keepsFolder })
  }
}

class Campaign {
  readonly #site: ClusterSite
  readonly #dice: Dice
  readonly #tally: Tally
  readonly #print: (line: string) => void
  readonly #auditors: readonly Auditor[]
  #rules: readonly ThrottleRule[] = []
  #faults = 0

  constructor(site: ClusterSite, dice: Dice, tally: Tally, print: (line: string) => void) {
    this.#site = site
    this.#dice = dice
    this.#tally = tally
    this.#print = print
    this.#auditors = site.accounts.map(() => new Auditor())
  }

  /** Runs faults. The throttles' limits change with each audit, when nothing is under way. */
  async run(faults: readonly ClusterFault[]): Promise<void> {
    for (let first = 0; first < faults.length; first += FAULTS_PER_AUDIT) {
      await this.#publish()
      await this.#runAudited(faults.slice(first, first + FAULTS_PER_AUDIT))
    }
  }

  /** Stops everything gracefully and compares the counters of the nodes with the lines that went through them. */
  async finish(): Promise<void> {
    const { processes, store, accounts } = this.#site
    for (const process of [...processes.filter(each => each !== store), store]) {
      const code = await process.end('SIGTERM')
      if (code !== 0) this.#tally.found([other(`${process.name} ended with ${code} after SIGTERM`)])
      this.#tally.found(process.takeEnds().map(sentence => other(sentence)))
    }
    const counted = await nodeMinutes(store.dataFolder)
    for (const [place, { pipeline }] of accounts.entries()) {
      const { minutes } = this.#auditors[place] as Auditor
      const { throttle } = pipeline
      const own = counted.filter(({ node }) => node === throttle)
      this.#tally.found(countedMinutes(own, minutes, { entrances: new Set([throttle]), throttle }))
    }
  }

  async #publish(): Promise<void> {
    const rules = this.#site.accounts.map(() => ({
      limit: LEAST_LIMIT + this.#dice.below(MOST_LIMIT - LEAST_LIMIT),
      windowMs: WINDOW_MS,
    }))
    for (const [place, { pipeline }] of this.#site.accounts.entries())
      await pipeline.publish(rules[place] as ThrottleRule)
    this.#rules = rules
  }

  async #runAudited(faults: readonly ClusterFault[]): Promise<void> {
    const { accounts } = this.#site
    const hosts = new Set<string>()
    for (const [place, fault] of faults.entries()) {
      const host = `cluster-${this.#faults++}`
      hosts.add(host)
      this.#tally.name(host, fault.label)
      for (const { shipper } of accounts) shipper.host = host
      if (place === 0) for (const { shipper } of accounts) shipper.start()
      await this.#suffer(fault, host)
    }
    await Promise.all(accounts.map(({ shipper }) => shipper.rest()))
    await this.#audit(hosts)
  }

  async #suffer(fault: ClusterFault, host: string): Promise<void> {
    await delay(fault.waitMs)
    const began = new Date().toISOString().slice(11, 23)
    const { what, sinceMs, newest } = await fault.inject(this.#site)
    const recovery = await this.#site.recovery(sinceMs, newest)
    this.#tally.recovered(fault.label, recovery)
    const [ready, stored] = [recovery.readyMs, recovery.storedMs].map(ms => (ms / 1000).toFixed(2))
    this.#print(
      `${host} at ${began} ${fault.label}: ${what}; ready after ${ready} s, all stored after ${stored} s`,
    )
    const ends = this.#site.processes.flatMap(process => process.takeEnds())
    for (const sentence of ends) this.#print(`    ${sentence}`)
    this.#tally.found(ends.map(sentence => other(`${sentence} (${what})`, host)))
  }

  async #audit(hosts: ReadonlySet<string>): Promise<void> {
    await this.#site.recovery(performance.now(), this.#site.newest)
    const audits = this.#site.accounts.map((account, place) => {
      const auditor = this.#auditors[place] as Auditor
      return auditedAccount(account, auditor, this.#rules[place], hosts)
    })
    const audited = await Promise.all(audits)
    const found = audited.flatMap(({ findings }) => findings)
    this.#tally.found(found)
    for (const { lines } of audited) for (const [host, count] of lines) this.#tally.stored(host, count)
    const lines = audited.flatMap(each => [...each.lines.values()]).reduce((sum, count) => sum + count, 0)
    const requests = audited.reduce((sum, each) => sum + each.requests, 0)
    const unanswered = audited.reduce((sum, each) => sum + each.unanswered, 0)
    const kept = `${lines} lines of ${requests} requests stored (${unanswered} times without an answer)`
    this.#print(`audit: ${kept}: ${found.length} findings`)
  }
}

function other(sentence: string, host = ''): Finding {
  return { kind: 'other', host, amount: 1, sentence }
}
