import type { Assignment, PartitionProgress } from '../../engine/log/assignment.ts'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Actor, Scheduler } from './scheduler.ts'

interface Member {
  readonly actor: Actor
  readonly listener: (partitions: ReadonlySet<number>) => Promise<void>
  isAnnounced: boolean
}

/**
 * Assigns all partitions to the process that joined last. It does not wait for the others: they learn of their loss when
 * the scheduler allows it. So two processes work on the same partitions for a while.
 */
export class SimulatedCoordinator {
  readonly #scheduler: Scheduler
  readonly #partitions: ReadonlySet<number>
  readonly #members: Member[] = []
  readonly #progress = new Map<number, PartitionProgress>()
  /** Assignments of partitions until the last process of an older program has left. */
  #olderAssignments: number

  /** @param olderAssignments assignments with processes of an older program in the cluster */
  constructor(scheduler: Scheduler, partitions: number, olderAssignments: number) {
    this.#scheduler = scheduler
    this.#olderAssignments = olderAssignments
    this.#partitions = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  }

  /** The assignment as one process sees it. */
  memberOf(actor: Actor): Assignment {
    const behaviour = () => (this.#olderAssignments > 0 ? TENTH_BEHAVIOUR : BEHAVIOUR)
    return {
      get behaviour() {
        return behaviour()
      },
      take: async (listener, signal) => {
        if (signal.aborted) return
        const member = { actor, listener, isAnnounced: false }
        this.#members.push(member)
        signal.addEventListener('abort', () => this.#leave(member), { once: true })
        this.#announceAll()
      },
      report: async progress => {
        await this.#scheduler.step(actor, 'report')
        if (this.#chosen()?.actor !== actor) return
        for (const each of progress) this.#progress.set(each.partition, each)
      },
      progress: async () => {
        await this.#scheduler.step(actor, 'progress')
        return [...this.#progress.values()]
      },
    }
  }

  /** Notices which processes have ended, paused or continued. */
  look(): void {
    for (const member of this.#members.filter(({ actor }) => actor.dead)) this.#leave(member)
    this.#announceAll()
  }

  #leave(member: Member): void {
    const index = this.#members.indexOf(member)
    if (index < 0) return
    this.#members.splice(index, 1)
    this.#announceAll()
  }

  /** A paused process is believed to be gone as long as there are others. */
  #chosen(): Member | undefined {
    return this.#members.findLast(({ actor }) => !actor.paused) ?? this.#members.at(-1)
  }

  #announceAll(): void {
    for (const member of this.#members)
      if (member.isAnnounced !== (member === this.#chosen())) void this.#announce(member)
  }

  async #announce(member: Member): Promise<void> {
    await this.#scheduler.step(member.actor, 'assignment')
    const isChosen = this.#members.includes(member) && member === this.#chosen()
    if (isChosen === member.isAnnounced) return
    member.isAnnounced = isChosen
    if (isChosen) this.#olderAssignments--
    void member.listener(isChosen ? this.#partitions : new Set())
  }
}
