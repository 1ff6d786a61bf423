import type { JsonObject } from '../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import { jsonText } from '../json-text.ts'
import type { ConfigurationLog } from './configuration-log.ts'
import type { AccountCut, AddressedCut, DeployedConfiguration, PipelineCut } from './deployed.ts'
import { type Account, accounts, type Deployment, deployments, revisions } from './entities.ts'
import type { Entity } from './fold.ts'

/**
 * Members of a node's configuration that partitions are not told: what delivers needs them, and takes them from
 * the configuration, so that the partition's log holds no secret.
 */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['ingestion_key'])

/** What the configuration says that partitions must know. */
export function deployedConfiguration(log: ConfigurationLog): DeployedConfiguration {
  // An entity is replaced when it changes, so its cut can be kept with it.
  const known = new WeakMap<object, AddressedCut>()
  const cutOf = <Value>(entity: Entity<Value>, make: (entity: Entity<Value>) => AddressedCut) => {
    let cut = known.get(entity)
    if (cut === undefined) {
      cut = make(entity)
      known.set(entity, cut)
    }
    return cut
  }
  return {
    *cuts() {
      for (const account of log.list(accounts)) yield cutOf(account, accountCut)
      for (const deployment of log.list(deployments)) {
        yield cutOf(deployment, each => pipelineCut(each, documentOf(log, each.value)))
      }
    },
    subscribe: listener => log.subscribe(listener),
  }
}

function accountCut({ id, version, value }: Entity<Account>): AddressedCut {
  const payload: AccountCut = { accountId: id, retentionDays: value.retentionDays }
  return { account: id, cut: { kind: 'account', entity: id, version, payload: JSON.stringify(payload) } }
}

function pipelineCut(
  { id, value }: Entity<Deployment>,
  document: PipelineDocument | undefined,
): AddressedCut {
  const payload = document === undefined ? '' : jsonText(withoutSecrets(document) as never)
  return { account: value.account, cut: { kind: 'pipeline', entity: id, version: value.number, payload } }
}

function documentOf(log: ConfigurationLog, { revisionId }: Deployment): PipelineDocument | undefined {
  return revisionId === null ? undefined : log.get(revisions, revisionId)?.value.document
}

function withoutSecrets(document: PipelineDocument): PipelineCut {
  return { ...document, nodes: document.nodes.map(nodeWithoutSecrets) }
}

function nodeWithoutSecrets(node: NodeDocument): NodeDocument {
  const members = Object.entries(node.user_config).filter(([name]) => !SECRET_MEMBERS.has(name))
  return { ...node, user_config: Object.fromEntries(members) as JsonObject }
}
