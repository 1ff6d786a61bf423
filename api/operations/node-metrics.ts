import type { Registry } from '@prometheus-io/client'
import { deployments, revisions } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { NodeHolding, NodeTotals } from '../../engine/fold/node-activity.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { collectedCounter, gaugeOf } from './metrics.ts'

const NODE = ['pipeline', 'node']

/** Value of the label `outcome` for each counter of a node. */
const OUTCOMES = {
  in: 'eventsIn',
  out: 'eventsOut',
  copied: 'copied',
  created: 'created',
  dropped: 'dropped',
  failed: 'failed',
  merged: 'merged',
} as const
const BYTES = { in: 'bytesIn', out: 'bytesOut', dropped: 'droppedBytes' } as const

/**
 * Exact counters of the nodes of pipelines, read from the engine at each scrape. The default graph has an empty pipeline.
 * Names without the prefix are those of the component reference.
 */
export function nodeMetrics(
  catalogue: Catalogue,
  registry: Registry,
  engine: { nodeTotals(): Iterable<NodeTotals>; nodeHoldings(): Iterable<NodeHolding> },
  configuration: ConfigurationView,
): void {
  collectedCounter(registry, 'weir_node_events_total', 'Events of a node', [...NODE, 'outcome'], counter => {
    for (const { pipeline, node, activity } of engine.nodeTotals()) {
      for (const [outcome, figure] of Object.entries(OUTCOMES)) {
        counter.inc({ pipeline, node, outcome }, activity[figure])
      }
    }
  })
  gaugeOf(registry, 'weir_node_held_events', 'Events that a node with windows holds now', NODE, gauge => {
    for (const { pipeline, node, held } of engine.nodeHoldings()) gauge.inc({ pipeline, node }, held)
  })
  collectedCounter(
    registry,
    'weir_node_bytes_total',
    'Bytes of events of a node',
    [...NODE, 'outcome'],
    counter => {
      for (const { pipeline, node, activity } of engine.nodeTotals()) {
        for (const [outcome, figure] of Object.entries(BYTES))
          counter.inc({ pipeline, node, outcome }, activity[figure])
      }
    },
  )
  collectedCounter(
    registry,
    'component_errors_total',
    'Errors that a node reported',
    [...NODE, 'code'],
    counter => {
      for (const { pipeline, node, errors } of engine.nodeTotals()) {
        for (const [code, count] of errors) counter.inc({ pipeline, node, code }, count)
      }
    },
  )
  for (const processor of catalogue.processors) {
    if (processor.droppedMetric === undefined) continue
    const { name, help } = processor.droppedMetric
    collectedCounter(registry, name, help, NODE, counter => {
      for (const { pipeline, node, activity } of engine.nodeTotals()) {
        const type = typeOf(configuration, pipeline, node)
        if (type !== undefined && catalogue.processorOf(type) === processor)
          counter.inc({ pipeline, node }, activity.dropped)
      }
    })
  }
}

/** Type of a deployed processor. */
function typeOf(configuration: ConfigurationView, pipeline: string, node: string): string | undefined {
  const revisionId = configuration.get(deployments, pipeline)?.value.revisionId ?? ''
  const document = configuration.get(revisions, revisionId)?.value.document
  return document?.nodes.find(({ id, kind }) => id === node && kind === 'transform')?.type
}
