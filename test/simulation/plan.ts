import { CHECKPOINT_TOPIC } from '../../schemas/log/topics.ts'
import { type Dice, newDice } from '../support/dice.ts'

/** Result of a replay without a failure. */
export const HELD = 'every promise holds'

/** Possible events in a world, apart from normal progress. */
export const ACTIONS = [
  'send',
  'lose patience',
  'give up',
  'publish',
  'withdraw',
  'change retention',
  'start a process',
  'kill a process',
  'stop a process',
  'pause a process',
  'resume a process',
  'stall at a step',
  'let time pass',
  'set a clock',
  'sleep for a day',
  'store goes away',
  'store comes back',
  'store is slow',
  'disk fills',
  'disk has room',
  'run jobs',
  'damage the last checkpoint',
  'lose the end of the configuration',
] as const

export type ActionKind = (typeof ACTIONS)[number]

/** Main subject of a world: some failures need others just before them. */
type Mood = 'mixed' | 'takeovers' | 'duels' | 'false starts' | 'days' | 'publishing' | 'storms'

/** Usual length of a step of time. */
export type Pace = 'moments' | 'hours' | 'long hours' | 'days'

export interface Action {
  readonly kind: ActionKind
  /** Seed of the action's own details, so that other actions can be left out without changing it. */
  readonly seed: number
}

/** Everything about a world that its seed decides before it begins. */
export interface Plan {
  readonly seed: number
  readonly partitions: number
  readonly senders: number
  /** Number of senders that push to gateway routes. */
  readonly pushers: number
  /** Fronts ask the log which deployments it holds, as in a cluster, or the engine of their process. */
  readonly asksLog: boolean
  /** Pipelines hold lines against an expression that costs much, and lines are long. */
  readonly looks: boolean
  /** Pipelines that read lines encrypt a value of each. */
  readonly encrypts: boolean
  /** Pipelines that read lines have processors that remember earlier ones. */
  readonly remembers: boolean
  /** One pipeline is paused, in each mode, and resumed again and again while lines come in. */
  readonly pauses: boolean
  /** Bytes that the log may take. */
  readonly logBytes: number
  /** Filling of a line, at most. */
  readonly lineBytes: number
  readonly appendFaults: number
  readonly storeFaults: number
  readonly pace: Pace
  /** Pipelines that are published again and again: that of the first account, or several of any account. */
  readonly pipelines: 'one' | 'several'
  /** Steps before which processes are paused. */
  readonly stallsAt: readonly string[]
  /** The world begins shortly before a UTC day ends. */
  readonly nearMidnight: boolean
  /**
   * true: before its end, days pass and old data is removed. Then paused processes continue, and the last process starts
   * again without its last checkpoint.
   */
  readonly growsOld: boolean
  /** Processes keep in mind how far the configuration has come; only there its end can be lost. */
  readonly keepsEnd: boolean
  /**
   * Before each of these actions every process ends, and a partition loses its end: every time the same one. An operator accepts a
   * loss later, at the latest before the next.
   */
  readonly losesTailAt: readonly number[]
  /** Requests are in flight at that moment: they land at the places of lost records. */
  readonly sendsIntoLoss: boolean
  /** The end of that partition is then known only to its checkpoints and the store. */
  readonly forgetsEnds: boolean
  /** Before the first of these actions the store is copied; before the other every process ends, and the copy takes its place. */
  readonly exchangesStore: { readonly copiedAt: number; readonly at: number } | undefined
  readonly actions: readonly Action[]
}

/** Actions in a world of that mood, on average: a story that needs several turns gets them, the others stay short. */
const MEAN_LENGTHS: Readonly<Record<Mood, number>> = {
  mixed: 8,
  takeovers: 13,
  duels: 15,
  'false starts': 12,
  days: 10,
  publishing: 14,
  storms: 9,
}
/** A story that needs every one of its turns gets them, and few others between. */
const LEAST_LENGTHS: Partial<Readonly<Record<Mood, number>>> = { 'false starts': 10, publishing: 11 }
const FAITHFUL: Partial<Readonly<Record<Mood, number>>> = { 'false starts': 0.95, publishing: 0.92 }
const UNBOUNDED = Number.MAX_SAFE_INTEGER
/** Share of worlds with gateway routes, by mood: such a world takes a fifth longer. */
const PUSHED_SHARES: Partial<Readonly<Record<Mood, number>>> = { publishing: 0.5 }
const PUSHED_SHARE = 0.1
const PUSHERS = 0x905e
/** Worlds that keep the end of the configuration in mind, and those of them that lose it. */
const KEEPING_SHARE = 0.25
const LOSING_SHARE = 0.5
const ENDS = 0xe4d5
const LOST_TAIL_SHARE = 0.3
const LOST_TAIL = 0x7a11
/** Share of worlds with a lost tail that lose another one of the same partition, and again. */
const AGAIN_SHARE = 0.7
const AGAIN = 0xa6a1
const INTO_LOSS_SHARE = 0.6
const INTO_LOSS = 0xf119
const FORGETTING_SHARE = 0.7
const FORGETTING = 0xf046
const EXCHANGED_SHARE = 0.15
const EXCHANGED = 0x01d5
/** Share of worlds with expensive expressions. */
const LOOKING_SHARE = 0.06
const LOOKS = 0x10c5

/** Share of worlds that encrypt. */
const ENCRYPTING_SHARE = 0.06
const ENCRYPTING = 0xe6c2
/** Share of worlds whose subject are pauses. */
const PAUSING_SHARE = 0.1
const PAUSING = 0x9a05
/** Such a world begins with these. Requests are in flight at the moment of a pause, and others come during it. */
const FIRST_PAUSES: readonly ActionKind[] = [
  ...(['publish', 'send', 'send', 'publish', 'send', 'send'] as const),
  ...(['publish', 'send', 'start a process', 'send', 'publish', 'send', 'send'] as const),
]
/** Share of worlds with processors that remember. */
const REMEMBERING_SHARE = 0.3
const REMEMBERING = 0x3e3b
/** Such a world begins with them: without pipelines there is nothing to remember. */
const FIRST_PUBLICATIONS = 3
/** Maximum size in such worlds: the longest line costs about as much as can be saved. */
const LOOKED_AT_BYTES = 400
/** Relative frequency of each action, in worlds that have it. */
const WEIGHTS: Readonly<Record<ActionKind, number>> = {
  send: 40,
  'lose patience': 3,
  'give up': 1,
  publish: 5,
  withdraw: 1,
  'change retention': 1,
  'start a process': 5,
  'kill a process': 5,
  'stop a process': 2,
  'pause a process': 4,
  'resume a process': 3,
  'stall at a step': 4,
  'let time pass': 18,
  'set a clock': 3,
  'sleep for a day': 1,
  'store goes away': 1,
  'store comes back': 2,
  'store is slow': 1,
  'disk fills': 1,
  'disk has room': 2,
  'run jobs': 3,
  'damage the last checkpoint': 2,
  // Separate dice draw it: see `drawLostEnd`.
  'lose the end of the configuration': 0,
}
/** Factors of the frequencies in a world of each mood. */
const EMPHASIS: Readonly<Record<Mood, Partial<Record<ActionKind, number>>>> = {
  mixed: {},
  takeovers: {
    'start a process': 4,
    'kill a process': 3,
    'stop a process': 5,
    'pause a process': 4,
    'resume a process': 5,
    'stall at a step': 8,
    'run jobs': 3,
  },
  duels: {},
  'false starts': {},
  storms: { 'let time pass': 2 },
  days: { 'run jobs': 6, 'change retention': 3, 'damage the last checkpoint': 4, 'start a process': 2 },
  publishing: { publish: 6, 'resume a process': 3 },
}
/** Usual sequences of actions in worlds of some moods. */
const CYCLES: Partial<Readonly<Record<Mood, readonly ActionKind[]>>> = {
  /** A worker pauses at a bad moment, another takes over and does not get far, and the first continues. */
  duels: [
    'send',
    'let time pass',
    'send',
    'stall at a step',
    'let time pass',
    'send',
    'let time pass',
    'start a process',
    'let time pass',
    'run jobs',
    'send',
    'stop a process',
    'kill a process',
    'start a process',
    'resume a process',
    'let time pass',
  ],
  /** A worker pauses before it stores, another takes over and ends at once, and the first continues. */
  'false starts': [
    'stall at a step',
    'send',
    'let time pass',
    'let time pass',
    'start a process',
    'lose patience',
    'kill a process',
    'resume a process',
    'lose patience',
  ],
  /** Days end and are closed by several at once. */
  days: [
    'send',
    'start a process',
    'let time pass',
    'stall at a step',
    'let time pass',
    'run jobs',
    'let time pass',
    'run jobs',
    'resume a process',
    'let time pass',
    'send',
  ],
  /** This sequence takes place before a change that soon becomes known. */
  publishing: [
    'send',
    'let time pass',
    'stall at a step',
    'publish',
    'let time pass',
    'start a process',
    'let time pass',
    'publish',
    'let time pass',
    'resume a process',
    'send',
    'let time pass',
    'send',
  ],
}

/** Steps at which a long pause does the most harm. */
const CRITICAL_STEPS = [
  `append to ${CHECKPOINT_TOPIC}`,
  'append weir.Cut',
  'append weir.Tick',
  'insert',
  'claim',
  'settle',
  'close a day',
  'remove',
] as const
/** Steps for pauses in worlds with a special subject. */
const STALLS: Partial<Readonly<Record<Mood, readonly (typeof CRITICAL_STEPS)[number][]>>> = {
  duels: [`append to ${CHECKPOINT_TOPIC}`, 'insert', 'claim'],
  'false starts': ['insert'],
  days: ['close a day', 'remove', `append to ${CHECKPOINT_TOPIC}`],
  publishing: ['append weir.Cut'],
}
const PACES: Partial<Readonly<Record<Mood, Pace>>> = {
  days: 'days',
  takeovers: 'hours',
  duels: 'long hours',
  'false starts': 'long hours',
  storms: 'moments',
}
/** Actions that every world can have. */
const DRAWN = ACTIONS.filter(kind => WEIGHTS[kind] > 0)
/** Actions that are needed for anything to go wrong. */
const ALWAYS: ReadonlySet<ActionKind> = new Set(['send', 'let time pass', 'start a process'])

/** Each world has some of the troubles only: those that hide each other then show, too. */
export function planOf(seed: number): Plan {
  const dice = newDice(seed)
  const isSmall = dice.chance(0.1)
  const mood = dice.pick<Mood>([
    'mixed',
    'takeovers',
    'takeovers',
    'duels',
    'false starts',
    'days',
    'publishing',
    'storms',
    'storms',
  ])
  const emphasis = EMPHASIS[mood]
  const kinds = DRAWN.filter(kind => ALWAYS.has(kind) || kind in emphasis || dice.chance(0.6))
  const weights = kinds.map(kind => WEIGHTS[kind] * (emphasis[kind] ?? 1))
  const drawKind = () => kinds[drawn(weights, dice)] as ActionKind
  const cycle = CYCLES[mood]
  const least = LEAST_LENGTHS[mood] ?? 1
  const length = least + dice.below(2 * (MEAN_LENGTHS[mood] - least + 1))
  const faithful = FAITHFUL[mood] ?? 0.8
  const looks = !isSmall && newDice(seed ^ LOOKS).chance(LOOKING_SHARE)
  const remembering = newDice(seed ^ REMEMBERING)
  const remembers = !looks && remembering.chance(REMEMBERING_SHARE)
  const pausing = newDice(seed ^ PAUSING)
  const pauses = !looks && !remembers && pausing.chance(PAUSING_SHARE)
  const sendsIntoLoss = newDice(seed ^ INTO_LOSS).chance(INTO_LOSS_SHARE)
  const plan: Omit<Plan, 'pushers' | 'asksLog' | 'keepsEnd' | 'losesTailAt' | 'exchangesStore'> = {
    seed,
    sendsIntoLoss,
    // Requests in flight carry the end that their process knew.
    forgetsEnds: !sendsIntoLoss && newDice(seed ^ FORGETTING).chance(FORGETTING_SHARE),
    // Each keeps to itself, and costs as much as another world.
    partitions: dice.chance(0.25) ? 2 : 1,
    senders: 1 + dice.below(4),
    looks,
    encrypts: newDice(seed ^ ENCRYPTING).chance(ENCRYPTING_SHARE),
    remembers,
    pauses,
    logBytes: isSmall ? 120_000 + dice.below(100_000) : UNBOUNDED,
    lineBytes: isSmall ? 8_000 : looks ? LOOKED_AT_BYTES : 12,
    appendFaults: mood === 'storms' || dice.chance(0.5) ? dice.below(30) / 100 : 0,
    storeFaults: mood === 'storms' || dice.chance(0.5) ? dice.below(50) / 100 : 0,
    pace: PACES[mood] ?? dice.pick(['moments', 'hours']),
    pipelines: mood === 'publishing' ? 'one' : 'several',
    stallsAt: STALLS[mood] ?? CRITICAL_STEPS,
    nearMidnight: dice.chance(0.3),
    growsOld: dice.chance(mood === 'days' ? 0.5 : mood === 'duels' ? 0.2 : 0.04),
    actions: [
      ...(remembers ? firstPublications(remembering) : []),
      ...(pauses ? FIRST_PAUSES.map(kind => ({ kind, seed: pausing.below(2 ** 31) })) : []),
      ...Array.from({ length }, (_, index) => ({
        kind: (dice.chance(faithful) && cycle?.[index % cycle.length]) || drawKind(),
        seed: dice.below(2 ** 31),
      })),
    ],
  }
  const pushed = drawPushers(seed, plan.senders, PUSHED_SHARES[mood])
  const lostEnd = drawLostEnd(seed, plan.actions)
  const losesTailAt = drawLostTail(plan, { ...pushed, ...lostEnd })
  const calm = { ...plan, ...pushed, ...lostEnd, losesTailAt }
  return { ...calm, exchangesStore: drawExchangedStore(calm) }
}

function firstPublications(dice: Dice): Action[] {
  const drawnAction = (kind: ActionKind): Action => ({ kind, seed: dice.below(2 ** 31) })
  return Array.from({ length: FIRST_PUBLICATIONS }, () => [
    drawnAction('send'),
    drawnAction('publish'),
  ]).flat()
}

/** Drawn by separate dice: a world without pushers does not depend on whether other worlds have them. */
function drawPushers(seed: number, senders: number, share = PUSHED_SHARE): Pick<Plan, 'pushers' | 'asksLog'> {
  const dice = newDice(seed ^ PUSHERS)
  return { pushers: dice.chance(share) ? 1 + dice.below(senders) : 0, asksLog: dice.chance(0.5) }
}

/** Drawn by separate dice for the same reason. The lost changes were written shortly before. */
function drawLostEnd(seed: number, actions: readonly Action[]): Pick<Plan, 'keepsEnd' | 'actions'> {
  const dice = newDice(seed ^ ENDS)
  const keepsEnd = dice.chance(KEEPING_SHARE)
  if (!keepsEnd || !dice.chance(LOSING_SHARE)) return { keepsEnd, actions }
  const at = dice.below(actions.length + 1)
  const drawnAction = (kind: ActionKind): Action => ({ kind, seed: dice.below(2 ** 31) })
  const before = (
    ['publish', 'let time pass', 'change retention', 'let time pass', 'publish', 'let time pass'] as const
  ).map(drawnAction)
  const added = [...before, drawnAction('lose the end of the configuration')]
  return { keepsEnd, actions: actions.toSpliced(at, 0, ...added) }
}

/**
 * Drawn by separate dice, like the pushers. Gateway routes do not promise to keep acknowledged events that are lost.
 * Worlds with a small or old log, or with a recorded end of the configuration, have enough failures.
 */
function drawLostTail(
  {
    seed,
    actions,
    logBytes,
    growsOld,
    looks,
  }: Pick<Plan, 'seed' | 'actions' | 'logBytes' | 'growsOld' | 'looks'>,
  { pushers, keepsEnd }: Pick<Plan, 'pushers' | 'keepsEnd'>,
): number[] {
  const dice = newDice(seed ^ LOST_TAIL)
  const isCalm = pushers === 0 && !keepsEnd && !looks && !growsOld
  const isSuited = isCalm && logBytes === UNBOUNDED && actions.length > 3
  if (!dice.chance(LOST_TAIL_SHARE) || !isSuited) return []
  const half = actions.length >> 1
  const losses = [half + dice.below(actions.length - half)]
  const again = newDice(seed ^ AGAIN)
  while (again.chance(AGAIN_SHARE) && (losses.at(-1) as number) < actions.length) {
    const next = (losses.at(-1) as number) + 1
    losses.push(next + again.below(actions.length + 1 - next))
  }
  return losses
}

/** Drawn by separate dice, like the pushers, and only in worlds without other losses. */
function drawExchangedStore({
  seed,
  actions,
  logBytes,
  looks,
  pushers,
  keepsEnd,
  losesTailAt,
}: Omit<Plan, 'exchangesStore'>): Plan['exchangesStore'] {
  const dice = newDice(seed ^ EXCHANGED)
  const isCalm = pushers === 0 && !keepsEnd && !looks && losesTailAt.length === 0
  const isSuited = isCalm && logBytes === UNBOUNDED && actions.length > 3
  if (!dice.chance(EXCHANGED_SHARE) || !isSuited) return undefined
  const half = actions.length >> 1
  return { copiedAt: dice.below(half), at: half + dice.below(actions.length - half) }
}

/** @returns which of them was drawn */
function drawn(weights: readonly number[], dice: Dice): number {
  let at = dice.below(weights.reduce((sum, weight) => sum + weight, 0))
  return weights.findIndex(weight => {
    at -= weight
    return at < 0
  })
}
