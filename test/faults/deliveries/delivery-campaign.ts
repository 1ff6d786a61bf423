import { setTimeout as delay } from 'node:timers/promises'
import { type Dice, newDice } from '../../support/dice.ts'
import { DeliverySite, type Destination, type SendingAccount } from './delivery-site.ts'
import type { DeliveryTally } from './delivery-tally.ts'
import type { ReceiverMode } from './taken-body.ts'

/** Time in which the other account gets its lines while receivers of the first are away. Pauses between attempts are shorter. */
const OTHER_WITHIN_MS = 60_000
/** Time in which everything arrives when all is well: a request that hangs, and the longest pause between attempts. */
const ALL_WITHIN_MS = 240_000
const LOOK_MS = 50

export interface DeliveryCampaignOptions {
  readonly kills: number
  readonly seed: number
}

/**
 * Kills the program while it delivers the lines of two accounts. Receivers of the first one, of which one is
 * another Weir, are away, hang, do not answer, or are killed themselves. All keep on the disk what they take.
 *
 * @throws Error when the program does not come back
 */
export async function runDeliveryCampaign(
  { kills, seed }: DeliveryCampaignOptions,
  tally: DeliveryTally,
  print: (line: string) => void,
): Promise<void> {
  const dice = newDice(seed)
  const site = await DeliverySite.open()
  const delayed: string[] = []
  try {
    for (let kill = 0; kill < kills; kill++) {
      print(await killOnce(site, dice))
      tally.kills++
      const late = await missing(site.other, OTHER_WITHIN_MS)
      delayed.push(...late)
    }
    for (const { receiver } of site.first.destinations) await receiver.behave('well')
    await missing(site.first, ALL_WITHIN_MS)
    await judge(site, delayed, tally)
  } finally {
    await site.close()
  }
}

async function judge(
  { first, other }: DeliverySite,
  delayed: readonly string[],
  tally: DeliveryTally,
): Promise<void> {
  for (const destination of first.destinations) await tally.judge(first, destination, [])
  for (const destination of other.destinations) await tally.judge(other, destination, delayed)
}

/** @returns what happened */
async function killOnce(site: DeliverySite, dice: Dice): Promise<string> {
  const { weir, first, other } = site
  const changed = await changeReceiver(first.destinations, dice)
  const untilMs = performance.now() + 200 + dice.below(1_800)
  let bodies = 0
  while (performance.now() < untilMs) {
    await Promise.all([site.send(first, 1 + dice.below(200)), site.send(other, 1 + dice.below(20))])
    bodies += 2
    if (dice.chance(0.3)) await delay(dice.below(400))
  }
  const isStop = dice.chance(0.2)
  if (isStop) weir.signal('SIGTERM')
  if (isStop) await delay(dice.below(300))
  await weir.end('SIGKILL')
  if (dice.chance(0.2)) {
    // The start fails, as it must.
    const started = weir.start().catch(() => undefined)
    await delay(dice.below(1_500))
    await weir.end('SIGKILL')
    await started
  }
  await weir.start()
  return `${changed}; ${bodies} bodies; ${isStop ? 'SIGTERM, then ' : ''}kill -9`
}

/** Changes one receiver. Only that of HTTP has a time-out short enough for requests that hang. */
async function changeReceiver(destinations: readonly Destination[], dice: Dice): Promise<string> {
  const { type, receiver } = dice.pick(destinations)
  if (dice.chance(0.2)) {
    await receiver.restart()
    return `the receiver of ${type} was killed`
  }
  const drawn: readonly ReceiverMode[] = ['well', 'well', 'away', 'deaf', type === 'http' ? 'hangs' : 'deaf']
  const mode = dice.pick(drawn.filter(each => receiver.modes.includes(each)))
  await receiver.behave(mode)
  return `the receiver of ${type}: ${mode}`
}

/** Waits until an account has got all acknowledged lines. @returns those that are missing at the end of the time */
async function missing({ acknowledged, destinations }: SendingAccount, withinMs: number): Promise<string[]> {
  const untilMs = performance.now() + withinMs
  for (;;) {
    const lacking: string[] = []
    for (const { receiver } of destinations) {
      const taken = new Set((await receiver.taken()).flatMap(({ lines }) => lines))
      lacking.push(...acknowledged.filter(line => !taken.has(line)))
    }
    if (lacking.length === 0 || performance.now() > untilMs) return lacking
    await delay(LOOK_MS)
  }
}
