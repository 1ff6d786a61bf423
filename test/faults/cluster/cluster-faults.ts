import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../../support/dice.ts'
import type { SentRequest } from '../sent-request.ts'
import { type ClusterSite, SESSION_TIMEOUT_MS } from './cluster-site.ts'
import type { LinkProxy } from './link-proxy.ts'
import type { Role, RoleProcess } from './role-process.ts'

/** One trouble that is made for the cluster while lines are shipped to it. Everything random in it was drawn before. */
export interface ClusterFault {
  /** Row of the table. */
  readonly label: string
  /** Time for which lines are shipped before the fault. */
  readonly waitMs: number
  inject(site: ClusterSite): Promise<InjectedInCluster>
}

export interface InjectedInCluster {
  readonly what: string
  /** Monotonic time at which the trouble was over: recovery counts from here. */
  readonly sinceMs: number
  /** The last acknowledged request of every connection at that time, by account. */
  readonly newest: readonly (readonly SentRequest[])[]
}

type Inject = ClusterFault['inject']
type Make = (dice: Dice) => Inject

const MAX_WAIT_MS = 1_500
const LONGEST_DOWN_MS = 4_000
/** A broker is believed dead after a second. */
const LONGEST_BROKER_PAUSE_MS = 5_000
const LONGEST_CUT_MS = 5_000
const MOST_OFF_MS = 90_000

/** Kinds of faults by their label in the table. */
const KINDS: Readonly<Record<string, Make>> = {
  'kill -9 engine': dice => killProcess(dice, 'engine'),
  'kill -9 ingest': dice => killProcess(dice, 'ingest'),
  'kill -9 store': dice => killProcess(dice, 'store'),
  'kill -9 several': killTogether,
  'kill -9 broker': killBroker,
  'SIGSTOP engine': pauseEngine,
  'SIGSTOP broker': pauseBroker,
  'rebalance storm': stormOfRebalances,
  'link engine to store': dice => breakLinks(dice, 'engine', 'store'),
  'link engine to Kafka': dice => breakLinks(dice, 'engine', 'Kafka'),
  'link ingest to Kafka': dice => breakLinks(dice, 'ingest', 'Kafka'),
  'wall clock moved': moveClock,
}

/** The kinds whose label holds a text. @throws Error with a sentence when there is none */
export function clusterFaultKinds(text = ''): readonly string[] {
  const labels = Object.keys(KINDS).filter(label => label.includes(text))
  if (labels.length > 0) return labels
  throw new Error(`--only "${text}" is in none of: ${Object.keys(KINDS).join(', ')}`)
}

/** Returns the requested number of faults, each kind about as often as the others, in an order that the dice choose. */
export function plannedClusterFaults(dice: Dice, count: number, kinds: readonly string[]): ClusterFault[] {
  const labels: string[] = []
  while (labels.length < count) {
    const round = [...kinds]
    while (round.length > 0) labels.push(...round.splice(dice.below(round.length), 1))
  }
  return labels.slice(0, count).map(label => {
    const make = KINDS[label] as Make
    return { label, waitMs: 300 + dice.below(MAX_WAIT_MS), inject: make(dice) }
  })
}

function over(site: ClusterSite, what: string): InjectedInCluster {
  return { what, sinceMs: performance.now(), newest: site.newest }
}

function oneOf(site: ClusterSite, role: Role, place: number): RoleProcess {
  const all = site.of(role)
  return all[place % all.length] as RoleProcess
}

function killProcess(dice: Dice, role: Role): Inject {
  const [place, downMs] = [dice.below(12), dice.below(LONGEST_DOWN_MS)]
  return async site => {
    const process = oneOf(site, role, place)
    await process.end('SIGKILL')
    await delay(downMs)
    process.start()
    return over(site, `${process.name} killed, down for ${downMs} ms`)
  }
}

/** An engine, an ingest and now and then the store in the same instant. */
function killTogether(dice: Dice): Inject {
  const [engine, ingest, downMs] = [dice.below(12), dice.below(12), dice.below(LONGEST_DOWN_MS)]
  const withStore = dice.chance(0.5)
  return async site => {
    const killed = [oneOf(site, 'engine', engine), oneOf(site, 'ingest', ingest)]
    if (withStore) killed.push(site.store)
    await Promise.all(killed.map(process => process.end('SIGKILL')))
    await delay(downMs)
    for (const process of killed) process.start()
    return over(site, `${killed.map(({ name }) => name).join(', ')} killed, down for ${downMs} ms`)
  }
}

function killBroker(dice: Dice): Inject {
  const [place, downMs] = [dice.below(12), dice.below(LONGEST_DOWN_MS)]
  return async site => {
    const broker = site.broker(place)
    await broker.kill('SIGKILL')
    await delay(downMs)
    await broker.start()
    return over(site, `broker ${broker.id} killed, down for ${downMs} ms and its start`)
  }
}

function pauseBroker(dice: Dice): Inject {
  const [place, pauseMs] = [dice.below(12), 500 + dice.below(LONGEST_BROKER_PAUSE_MS)]
  return async site => {
    const broker = site.broker(place)
    await broker.pause()
    await delay(pauseMs)
    await broker.resume()
    return over(site, `broker ${broker.id} stood still for ${pauseMs} ms`)
  }
}

/** Longer than its session: it wakes up and finds others at its work. */
function pauseEngine(dice: Dice): Inject {
  const [place, pauseMs] = [dice.below(12), SESSION_TIMEOUT_MS + 300 + dice.below(4_000)]
  return async site => {
    const engine = oneOf(site, 'engine', place)
    engine.signal('SIGSTOP')
    await delay(pauseMs)
    engine.signal('SIGCONT')
    return over(site, `${engine.name} stood still for ${pauseMs} ms`)
  }
}

/** Engines come and go faster than the group comes to rest. */
function stormOfRebalances(dice: Dice): Inject {
  const steps = Array.from({ length: 4 + dice.below(5) }, () => ({
    place: dice.below(12),
    signal: dice.chance(0.6) ? ('SIGTERM' as const) : ('SIGKILL' as const),
    pauseMs: dice.below(900),
  }))
  return async site => {
    const ends: Promise<unknown>[] = []
    for (const { place, signal, pauseMs } of steps) {
      const engine = oneOf(site, 'engine', place)
      // The next engine is stopped while this one still gives up its partitions.
      ends.push(engine.end(signal).then(() => engine.start()))
      await delay(pauseMs)
    }
    await Promise.all(ends)
    return over(site, `${steps.length} ends and starts of engines`)
  }
}

function breakLinks(dice: Dice, role: Role, target: 'store' | 'Kafka'): Inject {
  const [place, broker, forMs] = [dice.below(12), dice.below(4), 200 + dice.below(LONGEST_CUT_MS)]
  const trouble = dice.pick(['cut', 'stalled', 'stalled, then cut', 'slow'] as const)
  const slowMs = 50 + dice.below(400)
  return async site => {
    const process = oneOf(site, role, place)
    const [toStore, ...toBrokers] = [...process.links.values()] as [LinkProxy, ...LinkProxy[]]
    // One case in four cuts it off from all brokers.
    const links = target === 'store' ? [toStore] : toBrokers.filter((_, at) => broker === 3 || at === broker)
    process.note(`link to ${target} (${links.length}): ${trouble}`)
    for (const link of links) {
      if (trouble === 'cut') link.cut()
      else if (trouble === 'slow') link.slow(slowMs)
      else link.stall()
    }
    await delay(forMs)
    if (trouble === 'stalled, then cut') for (const link of links) link.cut()
    for (const link of links) link.heal()
    process.note('link healed')
    const to = links.length > 1 ? 'all brokers' : target
    return over(
      site,
      `${process.name} to ${to}: ${trouble}${trouble === 'slow' ? ` by ${slowMs} ms` : ''} for ${forMs} ms`,
    )
  }
}

function moveClock(dice: Dice): Inject {
  const place = dice.below(12)
  const role = dice.pick(['engine', 'ingest', 'api'] as const)
  const offMs = (dice.chance(0.5) ? 1 : -1) * (1_000 + dice.below(MOST_OFF_MS))
  const forMs = 1_000 + dice.below(3_000)
  return async site => {
    const process = oneOf(site, role, place)
    process.moveClock(offMs)
    await delay(forMs)
    process.moveClock(0)
    return over(site, `${process.name} ${offMs} ms off for ${forMs} ms`)
  }
}
