import type { Dice } from '../support/dice.ts'

/** Whose steps are taken: a process, a broker, a store. One that is dead never goes on, one that is paused waits. */
export class Actor {
  readonly name: string
  dead = false
  paused = false

  constructor(name: string) {
    this.name = name
  }
}

interface Step {
  readonly actor: Actor
  readonly label: string
  readonly go: () => void
}

interface Sleeper extends Step {
  readonly dueMs: number
}

/**
 * The order of everything asynchronous in a simulated world. Whoever would wait for something outside of himself asks
 * for a step; nothing goes on until the scheduler picks it, one at a time, by its dice. So a seed fixes every
 * interleaving, and between any two steps a process can be killed.
 */
export class Scheduler {
  /** Monotonic time of the world, ms. */
  nowMs = 0
  /** Steps taken so far. */
  steps = 0
  /** Whoever is about to take a step of that label next is paused before it. */
  trap: string | undefined
  readonly #dice: Dice
  #ready: Step[] = []
  #sleepers: Sleeper[] = []
  /** Of every step in its order: two runs of one seed have the same. */
  #digest = 0

  constructor(dice: Dice) {
    this.#dice = dice
  }

  get digest(): number {
    return this.#digest
  }

  /** Resolves when the step is picked; never when its actor dies before. */
  step(actor: Actor, label: string): Promise<void> {
    return new Promise(go => {
      if (!actor.dead) this.#ready.push({ actor, label, go })
    })
  }

  /** Resolves when that time has come and the step is picked, or when the signal is aborted. */
  sleep(actor: Actor, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || ms <= 0) return this.step(actor, 'wake')
    return new Promise(go => {
      const sleeper = { actor, label: 'wake', go, dueMs: this.nowMs + ms }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => this.#wake(sleeper), { once: true })
    })
  }

  /** Takes one step if one can be taken. @returns false when everybody waits for time, or for nothing */
  async pick(): Promise<boolean> {
    await tick()
    let able = this.#able()
    if (able.length === 0) {
      await turn()
      able = this.#able()
    }
    if (able.length === 0) return false
    const step = able[this.#dice.below(able.length)] as Step
    if (step.label === this.trap) {
      this.trap = undefined
      step.actor.paused = true
      return true
    }
    this.#ready.splice(this.#ready.indexOf(step), 1)
    this.steps++
    this.note(`${step.actor.name} ${step.label}`)
    step.go()
    return true
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.nowMs += ms
  }

  /** Lets time pass until the next sleeper is due. @returns false when nobody sleeps */
  advanceToNext(): boolean {
    const awake = this.#sleepers.filter(({ actor }) => !actor.paused && !actor.dead)
    if (awake.length === 0) return false
    this.nowMs = Math.max(this.nowMs, Math.min(...awake.map(({ dueMs }) => dueMs)))
    return true
  }

  /** Forgets what the dead waited for. */
  bury(): void {
    this.#ready = this.#ready.filter(({ actor }) => !actor.dead)
    this.#sleepers = this.#sleepers.filter(({ actor }) => !actor.dead)
  }

  /** Makes something part of what two runs of one seed must share. */
  note(text: string): void {
    let digest = this.#digest
    for (let index = 0; index < text.length; index++)
      digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193)
    this.#digest = digest >>> 0
  }

  #able(): readonly Step[] {
    this.#wakeDue()
    return this.#ready.every(isAble) ? this.#ready : this.#ready.filter(isAble)
  }

  #wake(sleeper: Sleeper): void {
    const index = this.#sleepers.indexOf(sleeper)
    if (index < 0) return
    this.#sleepers.splice(index, 1)
    this.#ready.push(sleeper)
  }

  #wakeDue(): void {
    const isDue = ({ dueMs }: Sleeper) => dueMs <= this.nowMs
    if (!this.#sleepers.some(isDue)) return
    this.#ready.push(...this.#sleepers.filter(isDue))
    this.#sleepers = this.#sleepers.filter(({ dueMs }) => dueMs > this.nowMs)
  }
}

function isAble({ actor }: Step): boolean {
  return !actor.paused && !actor.dead
}

/** Most of what follows from the last step has happened afterwards; a turn of the event loop would cost more. */
function tick(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** Everything that follows from what happened without waiting for anybody has happened afterwards. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
