import type { Dice } from '../support/dice.ts'

/** Owner of steps: a process, a broker, or a store. A dead one never continues, a paused one waits. */
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
 * Orders all asynchronous work in a simulated world. Code that would wait for something external asks for a step. It
 * continues only when the scheduler picks that step, one at a time, by its dice. So a seed determines every interleaving,
 * and a process can be killed between any two steps.
 */
export class Scheduler {
  /** Monotonic time of the world, ms. */
  nowMs = 0
  /** Steps taken so far. */
  steps = 0
  /** Label of a step: the next actor that is about to take such a step is paused before it. */
  trap: string | undefined
  readonly #dice: Dice
  #ready: Step[] = []
  #sleepers: Sleeper[] = []
  /** Digest of all steps in order, which is equal for two runs of one seed. */
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

  /** Takes one step if one can be taken. @returns false when all actors wait for time, or for nothing */
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

  /** Lets time pass until the next sleeper is due. @returns false without sleepers */
  advanceToNext(): boolean {
    const awake = this.#sleepers.filter(({ actor }) => !actor.paused && !actor.dead)
    if (awake.length === 0) return false
    this.nowMs = Math.max(this.nowMs, Math.min(...awake.map(({ dueMs }) => dueMs)))
    return true
  }

  /** Drops the waits of dead actors. */
  bury(): void {
    this.#ready = this.#ready.filter(({ actor }) => !actor.dead)
    this.#sleepers = this.#sleepers.filter(({ actor }) => !actor.dead)
  }

  /** Adds a text to the data that two runs of one seed must share. */
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

/** Most effects of the last step have then happened; a turn of the event loop would cost more. */
function tick(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** Resolves after everything that follows without further waiting. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
