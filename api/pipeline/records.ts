import type { AccessKey, DraftNode, GatewayRoute } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { AccessKeyRecord, GatewayRouteRecord } from '../../schemas/http/pipeline/gateway-route.ts'
import type {
  AlertRecord,
  NodeOutput,
  NodeRecord,
  PipelineRecord,
} from '../../schemas/http/pipeline/pipeline-api.ts'
import type { AlertDocument } from '../../schemas/pipeline.ts'
import { isoTime } from '../http/iso-time.ts'
import type { PipelineState } from './pipelines.ts'

/** A pipeline as `/v3` shows it (pipeline API, section 2.1). */
export function pipelineRecord(state: PipelineState): PipelineRecord {
  const { pipeline, updatedAtMs, deployedRevisionId, loadedRevisionId, hasChanges, pauseMode } = state
  const { value } = pipeline
  return {
    id: pipeline.id,
    account_id: value.account,
    partition_id: 'gen1',
    title: value.title,
    deploy_type: value.deployType,
    deployment_groups: [...value.deploymentGroups],
    config: {},
    created_at: isoTime(value.createdAtMs),
    updated_at: updatedAtMs === null ? null : isoTime(updatedAtMs),
    published_at: value.published === null ? null : isoTime(value.published.atMs),
    published_revision_id: value.published?.revisionId ?? null,
    deployed_revision_id: deployedRevisionId,
    loaded_revision_id: loadedRevisionId,
    processing_status: pauseMode === undefined ? 'enabled' : 'paused',
    // Older clients compare the whole record, which has no such member while the pipeline runs.
    ...(pauseMode !== undefined && { pause_mode: pauseMode }),
    has_pending_actions: false,
    has_changes: hasChanges,
    origin: value.origin,
    template: null,
  }
}

/** A node as `/v3` shows it (pipeline API, section 2.2). */
export function nodeRecord(catalogue: Catalogue, node: DraftNode, { pipeline }: PipelineState): NodeRecord {
  const record = {
    id: node.id,
    title: node.title,
    description: node.description,
    account_id: pipeline.value.account,
    pipeline_id: pipeline.id,
    generation_id: node.generation,
    type: node.type,
    deploy_type: pipeline.value.deployType,
    user_config: node.user_config,
  }
  switch (node.kind) {
    case 'source':
      return {
        ...record,
        outputs: outputsOf(catalogue, node),
        gateway_route_id: node.gateway_route_id ?? null,
        access_keys: [],
        access_keys_user_provided: false,
        durability_profile: null,
      }
    case 'transform':
      return { ...record, inputs: [...node.inputs], outputs: outputsOf(catalogue, node) }
    case 'sink':
      return { ...record, inputs: [...node.inputs] }
  }
}

/** An alert as `/v3` shows it (pipeline API, section 7). */
export function alertRecord(alert: AlertDocument, { pipeline }: PipelineState): AlertRecord {
  return {
    id: alert.id,
    account_id: pipeline.value.account,
    pipeline_id: pipeline.id,
    component_kind: alert.component_kind,
    component_id: alert.component_id,
    inputs: [...alert.inputs],
    active: alert.active,
    alert_config: alert.alert_config,
  }
}

/** A gateway route as `/v3` shows it (pipeline API, section 2.5). */
export function gatewayRouteRecord({ id, value }: Entity<GatewayRoute>): GatewayRouteRecord {
  return {
    id,
    account_id: value.account,
    consumer_id: value.consumerId,
    type: value.type,
    title: value.title,
    description: value.description,
    created_at: isoTime(value.createdAtMs),
  }
}

/** An access key as `/v3` shows it, without the key itself (pipeline API, section 2.6). */
export function accessKeyRecord({ id, value }: Entity<AccessKey>): AccessKeyRecord {
  return {
    id,
    account_id: value.account,
    title: value.title,
    gateway_route_id: value.gatewayRoute,
    created_at: isoTime(value.createdAtMs),
  }
}

function outputsOf(catalogue: Catalogue, node: DraftNode): NodeOutput[] {
  return catalogue.outputsOf(node).map(({ id, label }) => ({ id, label }))
}
