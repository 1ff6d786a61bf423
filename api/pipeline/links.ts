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

const THROTTLE = nodeDetail('transform')
const relatedToThrottle = { pipeline: pipelineLinks.self, transform: { list: null, detail: THROTTLE } }
export const EXEMPTIONS = {
  pk: 'key',
  type: 'exemption',
  links: { self: { list: `${THROTTLE}/exemption`, detail: null }, related: relatedToThrottle },
  page: null,
} satisfies Meta
export const BUCKETS = {
  pk: 'key',
  type: 'bucket',
  links: {
    self: { list: `${THROTTLE}/bucket`, detail: `${THROTTLE}/bucket/{key}` },
    related: relatedToThrottle,
  },
  page: null,
} satisfies Meta
