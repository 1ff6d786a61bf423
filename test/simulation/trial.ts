import { crc32 } from 'node:zlib'
import { audit } from './audit.ts'
import { type Founding, newFounding } from './founding.ts'
import { FrontDoor } from './front-door.ts'
import type { Plan } from './plan.ts'
import type { StoreDefect } from './simulated-store.ts'
import { World } from './world.ts'

export interface TrialOptions {
  readonly storeDefect?: StoreDefect | undefined
  /** The plan is carried out a second time, which must give the same bytes. */
  readonly isTwice?: boolean
  /** Receives the story of the first time. */
  readonly tell?: ((atMs: number, what: string) => void) | undefined
}

/** Runs plans; holds the parts that all worlds share. */
export class Trial {
  readonly #founding: Founding
  readonly #door: FrontDoor

  private constructor(founding: Founding, door: FrontDoor) {
    this.#founding = founding
    this.#door = door
  }

  static async open(): Promise<Trial> {
    return new Trial(await newFounding(), await FrontDoor.open())
  }

  /** Carries a plan out, then checks every promise on the resulting world. @throws the first failure */
  async run(plan: Plan, options: TrialOptions = {}): Promise<void> {
    const first = this.#world(plan, options)
    await first.run()
    audit(first)
    if (options.isTwice !== true) return
    const second = this.#world(plan, { ...options, tell: undefined })
    await second.run()
    if (digestOf(first) !== digestOf(second)) throw new Error('two runs of one seed differ')
  }

  #world(plan: Plan, { storeDefect, tell }: TrialOptions): World {
    return new World(plan, { founding: this.#founding, door: this.#door, storeDefect, tell })
  }
}

/** Digest of every step, every record and every stored byte. */
function digestOf({ scheduler, store }: World): string {
  const blocks = store.history.map(({ block }) => crc32(block))
  return `${scheduler.digest} ${blocks.join(' ')}`
}
