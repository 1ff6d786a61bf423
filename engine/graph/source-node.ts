import { errorMessage } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import type { Steps } from '../steps.ts'
import {
  type CompiledNode,
  CompiledOutput,
  DEFAULT_OUTPUT,
  type Inbox,
  type RunContext,
} from './compiled-node.ts'
import { noCounts } from './node-counters.ts'
import type { NodeError } from './node-error.ts'
import { QUARANTINED } from './quarantined.ts'
import { ascending } from './run.ts'

/** Entrance of the events of a record. */
export class SourceNode implements CompiledNode {
  readonly id: string
  readonly counters = noCounts()
  readonly inboxes: readonly Inbox[] = []
  readonly output = new CompiledOutput(this.counters)

  readonly #keepsMetadata: boolean

  /** @param keepsMetadata false: metadata of requests, which another source of the gateway route may keep, is removed */
  constructor(id: string, { keepsMetadata }: { readonly keepsMetadata: boolean }) {
    this.id = id
    this.#keepsMetadata = keepsMetadata
  }

  enter(sent: readonly Event[], context: RunContext): void {
    const { observer, quarantinedNodes } = context
    if (quarantinedNodes?.has(this.id)) {
      this.#failAll(sent, context)
      return
    }
    const events = this.#keepsMetadata ? sent : sent.map(event => event.withMetadata({}))
    if (observer !== undefined)
      for (const [row, event] of events.entries()) observer.left(this.id, DEFAULT_OUTPUT, event, row)
    let bytes = 0
    for (const event of events) bytes += event.bytes
    this.counters.eventsIn += events.length
    this.counters.bytesIn += bytes
    this.output.emit({ events, rows: ascending(events.length), bytes })
  }

  *step(): Steps {}

  /** Fails the events of a record in quarantine. They do not become dead letters: no node can take them up again. */
  #failAll(events: readonly Event[], { report, observer }: RunContext): void {
    const message = errorMessage(QUARANTINED.code, QUARANTINED.detail)
    for (const [row, event] of events.entries()) {
      const { code } = QUARANTINED
      const error: NodeError = { nodeId: this.id, kind: 'source', code, field: null, message, event }
      report(error)
      observer?.failed(this.id, event, row)
      observer?.reported(error, row)
      this.counters.eventsIn++
      this.counters.bytesIn += event.bytes
      this.counters.failed++
    }
  }
}
