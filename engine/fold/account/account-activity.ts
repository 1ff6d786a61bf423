import type { Event } from '../../event/event.ts'
import { noCounts } from '../../graph/node-counters.ts'
import { countDropped, type NodeActivity, type TakenActivity } from '../node-activity.ts'
import type { AccountRules } from '../rules/account-rules.ts'
import type { ActivityOfNode } from './deployed-revision.ts'
import type { Deployments } from './deployments.ts'

/** Node id under which the default graph is counted. */
export const DEFAULT_GRAPH_NODE = 'own-store'
/** Start of the node id, outside of all pipelines, for events of a gateway route that no pipeline reads. */
const UNREAD_GATEWAY_ROUTE = 'gateway-route-'

/** Counts of an account's nodes that were not collected yet, and those of places that are not nodes. */
export class AccountActivity {
  readonly #account: string
  readonly #deployments: Deployments
  readonly #rules: AccountRules
  #defaultGraph = noCounts()
  /** Events that arrived while the deployed pipelines had no source of their gateway route, by its id. */
  #unread = new Map<string, NodeActivity>()
  /** Counts of nodes that no longer exist: of their last events, and of events that were still under way to them. */
  readonly #gone: TakenActivity[] = []

  constructor(account: string, deployments: Deployments, rules: AccountRules) {
    this.#account = account
    this.#deployments = deployments
    this.#rules = rules
  }

  /** Counts of the default graph since they were last taken; the caller adds to them. */
  get defaultGraph(): NodeActivity {
    return this.#defaultGraph
  }

  /** Counts events of a gateway route that no pipeline reads. */
  noteUnread(gatewayRoute: string, events: readonly Event[]): void {
    const activity = this.#unread.get(gatewayRoute) ?? noCounts()
    this.#unread.set(gatewayRoute, activity)
    countDropped(activity, events)
  }

  /** Counts events that arrived for a node that no longer exists. */
  noteStranded(pipeline: string, node: string, events: readonly Event[]): void {
    const activity = noCounts()
    countDropped(activity, events)
    this.#gone.push({ account: this.#account, pipeline, node, activity })
  }

  /** Keeps the last counts of a revision that will be forgotten. */
  noteLast(pipeline: string, last: Iterable<ActivityOfNode>): void {
    for (const each of last) this.#gone.push({ account: this.#account, pipeline, ...each })
  }

  /** Activity of every node since the last call. Parts of outputs come after their node. */
  *take(): Iterable<TakenActivity> {
    const account = this.#account
    for (const [pipeline, revision] of this.#deployments.revisions())
      for (const each of revision.takeActivity()) yield { account, pipeline, ...each }
    yield* this.#gone.splice(0)
    yield { account, pipeline: '', node: DEFAULT_GRAPH_NODE, activity: this.#defaultGraph }
    this.#defaultGraph = noCounts()
    for (const [gatewayRoute, activity] of this.#unread)
      yield { account, pipeline: '', node: `${UNREAD_GATEWAY_ROUTE}${gatewayRoute}`, activity }
    this.#unread = new Map()
    for (const [node, activity] of this.#rules.takeActivity()) yield { account, pipeline: '', node, activity }
  }
}
