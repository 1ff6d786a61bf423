import type { Meta } from '../http/envelope.ts'

/**
 * Links are templates with the braces left in (pipeline API, section 1.2).
 */
const PIPELINES = '/v3/pipeline'
const PIPELINE = `${PIPELINES}/{pipeline_id}`

export type NodeKind = 'source' | 'transform' | 'sink'
export const NODE_KINDS: readonly NodeKind[] = ['source', 'transform', 'sink']

const nodeDetail = (kind: NodeKind) => `${PIPELINE}/${kind}/{${kind}_id}`

const parts = Object.fromEntries(NODE_KINDS.map(kind => [kind, { list: null, detail: nodeDetail(kind) }]))
const pipelineLinks = { self: { list: PIPELINES, detail: PIPELINE }, related: parts }

/** Metadata of the answer to a creation, which has no type. */
export const CREATED_PIPELINE: Meta = { pk: 'id', links: pipelineLinks, page: null }
export const ONE_PIPELINE: Meta = { ...CREATED_PIPELINE, type: 'pipeline' }
export const PUBLISHED_PIPELINE: Meta = {
  pk: 'id',
  type: 'pipeline',
  links: {
    self: { list: null, detail: `${PIPELINE}/publish` },
    related: { pipeline: pipelineLinks.self, ...parts },
  },
  page: null,
}

export function nodeMeta(kind: NodeKind): Meta {
  return {
    pk: 'id',
    type: kind,
    links: { self: { list: null, detail: nodeDetail(kind) }, related: { pipeline: pipelineLinks.self } },
    page: null,
  }
}

export const REVISIONS: Meta = {
  pk: 'id',
  type: 'revision',
  links: {
    self: { list: `${PIPELINE}/revision`, detail: `${PIPELINE}/revision/{number}` },
    related: { pipeline: pipelineLinks.self },
  },
  page: null,
}

export const ONE_ALERT: Meta = {
  pk: 'id',
  type: 'alert',
  links: {
    self: { list: null, detail: `${PIPELINE}/alert/{alert_id}` },
    related: { pipeline: pipelineLinks.self },
  },
  page: null,
}

const GATEWAY_ROUTES = `${PIPELINES}/gateway-route`
const GATEWAY_ROUTE = `${GATEWAY_ROUTES}/{gateway_route_id}`
const gatewayRouteLinks = { list: GATEWAY_ROUTES, detail: GATEWAY_ROUTE }
const accessKeyLinks = { list: null, detail: `${GATEWAY_ROUTE}/access-key` }

export const ONE_GATEWAY_ROUTE: Meta = {
  pk: 'id',
  type: 'gateway-route',
  links: { self: gatewayRouteLinks, related: { access_key: accessKeyLinks } },
  page: null,
}
export const ONE_ACCESS_KEY: Meta = {
  pk: 'id',
  type: 'access-key',
  links: { self: accessKeyLinks, related: { gateway_route: gatewayRouteLinks } },
  page: null,
}

export const SIMULATION: Meta = {
  pk: 'id',
  type: 'simulation',
  links: { self: { list: null, detail: `${PIPELINE}/simulate` }, related: { pipeline: pipelineLinks.self } },
  page: null,
}

export const PREVIEW: Meta = {
  pk: 'id',
  type: 'preview',
  links: {
    self: { list: `${PIPELINE}/preview`, detail: `${PIPELINE}/preview/{preview_id}` },
    related: { pipeline: pipelineLinks.self },
  },
  page: null,
}

export const EXPLANATION: Meta = {
  pk: 'place',
  type: 'explanation',
  links: { self: { list: `${PIPELINE}/explain`, detail: null }, related: { pipeline: pipelineLinks.self } },
  page: null,
}

/** Answers about all pipelines of the account. */
export const ALL_ERRORS: Meta = { pk: 'id', type: 'error', links: {}, page: null }
export const ERROR_COUNTS: Meta = { pk: 'node_id', type: 'error-count', links: {}, page: null }
export const METRICS: Meta = { pk: 'pipeline_id', type: 'pipeline-metrics', links: {}, page: null }
export const ALL_DEAD_LETTERS: Meta = { pk: 'pipeline_id', type: 'dead-letter', links: {}, page: null }
export const ALL_DELIVERIES: Meta = { pk: 'node_id', type: 'delivery', links: {}, page: null }

/** Explanations that belong to no single pipeline. */
export const ACCOUNT_EXPLANATION: Meta = { pk: 'place', type: 'explanation', links: {}, page: null }

export const DEAD_LETTERS = {
  pk: 'id',
  type: 'dead-letter',
  links: {
    self: { list: `${PIPELINE}/dead-letter`, detail: null },
    related: { pipeline: pipelineLinks.self },
  },
  page: null,
} satisfies Meta

export const PIPELINE_ERRORS = {
  pk: 'id',
  type: 'error',
  links: { self: { list: `${PIPELINE}/error`, detail: null }, related: { pipeline: pipelineLinks.self } },
  page: null,
} satisfies Meta

const PROCESSOR = nodeDetail('transform')
const relatedToProcessor = { pipeline: pipelineLinks.self, transform: { list: null, detail: PROCESSOR } }
export const EXEMPTIONS = {
  pk: 'key',
  type: 'exemption',
  links: { self: { list: `${PROCESSOR}/exemption`, detail: null }, related: relatedToProcessor },
  page: null,
} satisfies Meta
export const BUCKETS = {
  pk: 'key',
  type: 'bucket',
  links: {
    self: { list: `${PROCESSOR}/bucket`, detail: `${PROCESSOR}/bucket/{key}` },
    related: relatedToProcessor,
  },
  page: null,
} satisfies Meta
export const PROFILE = {
  pk: 'at',
  type: 'profile',
  links: { self: { list: null, detail: `${PROCESSOR}/profile` }, related: relatedToProcessor },
  page: null,
} satisfies Meta
export const DELIVERY = {
  pk: 'at',
  type: 'delivery',
  links: {
    self: { list: null, detail: `${nodeDetail('sink')}/delivery` },
    related: { pipeline: pipelineLinks.self, sink: { list: null, detail: nodeDetail('sink') } },
  },
  page: null,
} satisfies Meta
export const DELIVERY_CHECK = {
  ...DELIVERY,
  type: 'delivery-check',
  links: { ...DELIVERY.links, self: { list: null, detail: `${nodeDetail('sink')}/check` } },
} satisfies Meta
export const STATE_VARIABLES = {
  pk: 'id',
  type: 'pipeline-state-variable',
  links: {
    self: {
      list: `${PIPELINES}/state-variable`,
      detail: `${PIPELINES}/state-variable/{pipeline-state-variable_id}`,
    },
    related: { pipeline: pipelineLinks.self },
  },
  page: null,
} satisfies Meta
