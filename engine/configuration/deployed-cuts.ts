import type { JsonObject } from '../../schemas/json.ts'
import type { Cut } from '../../schemas/log/control.ts'
import type {
  AccountCut,
  AddressedCut,
  DeadLetterCut,
  DeployedConfiguration,
  ExemptionCut,
  LineRulesCut,
  PipelineCut,
  QuotaCut,
  RetentionCut,
  SpreadCut,
} from '../../schemas/log/cuts.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { jsonText } from '../json/json-text.ts'
import type { ConfigurationLog } from './configuration-log.ts'
import {
  type Account,
  accounts,
  type DeadLetterSettings,
  type Deployment,
  deadLetterSettings,
  deployments,
  type Exemption,
  exemptions,
  revisions,
  type Spread,
  spreads,
} from './entities.ts'
import type { Entity } from './kind.ts'
import { type LineRules, lineRules, type RetentionRule } from './kinds/line-rules.ts'
import { type QuotaState, quotaStates } from './kinds/quotas.ts'

/**
 * Members of a node's configuration that partitions are not told: what delivers needs them, and takes them from
 * the configuration, so that the partition's log holds no secret.
 */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['ingestion_key'])

type AccountsCut = Omit<AddressedCut, 'everywhere'>

/** An entity is replaced when it changes, so its cut can be kept with it. */
type KnownCuts = WeakMap<object, AccountsCut>

/** What the configuration says that partitions must know. */
export function deployedConfiguration(log: ConfigurationLog): DeployedConfiguration {
  const known: KnownCuts = new WeakMap()
  return {
    cuts: () => cutsOf(log, known),
    subscribe: listener => log.subscribe(listener),
  }
}

/** No closure: what a generator function closes over lives, once it was called, until V8 collects everything. */
function* cutsOf(log: ConfigurationLog, known: KnownCuts): Iterable<AddressedCut> {
  const isEverywhere = (account: string) => log.get(spreads, account) !== undefined
  for (const account of log.list(accounts))
    yield { ...cutOf(account, accountCut, known), everywhere: isEverywhere(account.id) }
  for (const deployment of log.list(deployments)) {
    const cut = cutOf(deployment, each => pipelineCut(each, documentOf(log, each.value)), known)
    yield { ...cut, everywhere: isEverywhere(cut.account) }
  }
  for (const settings of log.list(deadLetterSettings)) {
    const cut = cutOf(settings, deadLetterCut, known)
    yield { ...cut, everywhere: isEverywhere(cut.account) }
  }
  for (const exemption of log.list(exemptions)) {
    const cut = cutOf(exemption, exemptionCut, known)
    yield { ...cut, everywhere: isEverywhere(cut.account) }
  }
  for (const rules of log.list(lineRules))
    yield { ...cutOf(rules, lineRulesCut, known), everywhere: isEverywhere(rules.id) }
  for (const state of log.list(quotaStates))
    yield { ...cutOf(state, quotaCut, known), everywhere: isEverywhere(state.id) }
  // Last: a partition that says it is spread has all of the account's pipelines.
  for (const spread of log.list(spreads)) yield { ...cutOf(spread, spreadCut, known), everywhere: true }
}

function cutOf<Value>(
  entity: Entity<Value>,
  make: (entity: Entity<Value>) => AccountsCut,
  known: KnownCuts,
): AccountsCut {
  let cut = known.get(entity)
  if (cut === undefined) {
    cut = make(entity)
    known.set(entity, cut)
  }
  return cut
}

function spreadCut({ id, value }: Entity<Spread>): AccountsCut {
  const payload: SpreadCut = { isSpread: value.enabled }
  return {
    account: id,
    cut: { kind: 'spread', entity: id, version: value.change, payload: JSON.stringify(payload) },
  }
}

function accountCut({ id, version, value }: Entity<Account>): AccountsCut {
  const payload: AccountCut = { accountId: id, retentionDays: value.retentionDays }
  return { account: id, cut: { kind: 'account', entity: id, version, payload: JSON.stringify(payload) } }
}

/** The cut of what is deployed of a pipeline. */
export function deploymentCut(log: ConfigurationLog, deployment: Entity<Deployment>): Cut {
  return pipelineCut(deployment, documentOf(log, deployment.value)).cut
}

function pipelineCut({ id, value }: Entity<Deployment>, document: PipelineDocument | undefined): AccountsCut {
  const payload = document === undefined ? '' : jsonText(payloadOf(document, value) as never)
  return { account: value.account, cut: { kind: 'pipeline', entity: id, version: value.number, payload } }
}

function deadLetterCut({ id, version, value }: Entity<DeadLetterSettings>): AccountsCut {
  const payload: DeadLetterCut = { accountId: value.account, isEnabled: value.enabled }
  const cut = { kind: 'dead-letter' as const, entity: id, version, payload: JSON.stringify(payload) }
  return { account: value.account, cut }
}

function exemptionCut({ id, version, value }: Entity<Exemption>): AccountsCut {
  const { account, pipeline, node, key, untilMs, lastMs: forgetMs } = value
  const payload: ExemptionCut = { accountId: account, pipeline, node, key, untilMs, forgetMs }
  const cut = { kind: 'exemption' as const, entity: id, version, payload: JSON.stringify(payload) }
  return { account, cut, forgetMs }
}

function lineRulesCut({ id, version, value }: Entity<LineRules>): AccountsCut {
  const payload: LineRulesCut = {
    accountId: id,
    exclusions: value.exclusions
      .filter(({ active }) => active)
      .map(({ id, title, apps, hosts, query, indexonly }) => {
        return { id, title, apps, hosts, query, entirely: !indexonly }
      }),
    retentionRules: value.retentionRules
      .filter(({ active }) => active)
      .toSorted((a, b) => a.priority - b.priority)
      .map(retentionCut),
  }
  return { account: id, cut: { kind: 'line-rules', entity: id, version, payload: JSON.stringify(payload) } }
}

function retentionCut({ id, days, host, app, level, query }: RetentionRule): RetentionCut {
  const listed = (name: string) => (name === '' ? [] : [name])
  return { id, days, apps: listed(app), hosts: listed(host), levels: listed(level), query }
}

function quotaCut({ id, version, value }: Entity<QuotaState>): AccountsCut {
  const periods = value.inForce.map(({ period, untilMs, discards, rules }) => ({
    period,
    untilMs,
    discards,
    rules: rules.map(({ number, apps, hosts, query, indexonly }) => {
      return { number, apps, hosts, query, entirely: !indexonly }
    }),
  }))
  const payload: QuotaCut = { accountId: id, periods }
  return { account: id, cut: { kind: 'quota', entity: id, version, payload: JSON.stringify(payload) } }
}

function documentOf(log: ConfigurationLog, { revisionId }: Deployment): PipelineDocument | undefined {
  return revisionId === null ? undefined : log.get(revisions, revisionId)?.value.document
}

/** Alerts stay behind as a whole: partitions do not judge them, and they hold passwords and keys of services. */
function payloadOf({ alerts: _, ...document }: PipelineDocument, { paused }: Deployment): PipelineCut {
  const nodes = document.nodes.map(nodeWithoutSecrets)
  return { ...document, nodes, ...(paused ? { paused } : {}) }
}

function nodeWithoutSecrets(node: NodeDocument): NodeDocument {
  const members = Object.entries(node.user_config).filter(([name]) => !SECRET_MEMBERS.has(name))
  return { ...node, user_config: Object.fromEntries(members) as JsonObject }
}
