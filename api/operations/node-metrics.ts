import type { Counter, Registry } from '@prometheus-io/client'
import { deployedDocument } from '../../engine/configuration/deployed-document.ts'
import { deployments } from '../../engine/configuration/entities.ts'
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
 * The component reference names two of them without the prefix; they have both names.
 */
export function nodeMetrics(
  catalogue: Catalogue,
  registry: Registry,
  engine: { nodeTotals(): Iterable<NodeTotals>; nodeHoldings(): Iterable<NodeHolding> },
  configuration: ConfigurationView,
): void {
  collectedCounter(
    registry,
    'weir_node_events_total',
    'Events of a node, by outcome',
    [...NODE, 'outcome'],
    counter => {
      for (const { pipeline, node, activity } of engine.nodeTotals()) {
        for (const [outcome, figure] of Object.entries(OUTCOMES)) {
          counter.inc({ pipeline, node, outcome }, activity[figure])
        }
      }
    },
  )
  gaugeOf(
    registry,
    'weir_node_held_events',
    'Events that a node with windows holds now, one per open window',
    NODE,
    gauge => {
      for (const { pipeline, node, held } of engine.nodeHoldings()) gauge.inc({ pipeline, node }, held)
    },
  )
  collectedCounter(
    registry,
    'weir_node_bytes_total',
    'Bytes of events of a node, by outcome',
    [...NODE, 'outcome'],
    counter => {
      for (const { pipeline, node, activity } of engine.nodeTotals()) {
        for (const [outcome, figure] of Object.entries(BYTES))
          counter.inc({ pipeline, node, outcome }, activity[figure])
      }
    },
  )
  const errors: Named = {
    name: 'weir_node_errors_total',
    formerName: 'component_errors_total',
    help: 'Errors that a node reported, by code',
  }
  collectedTwice(registry, errors, [...NODE, 'code'], counter => {
    for (const { pipeline, node, errors: counts } of engine.nodeTotals()) {
      for (const [code, count] of counts) counter.inc({ pipeline, node, code }, count)
    }
  })
  for (const processor of catalogue.processors) {
    if (processor.droppedMetric === undefined) continue
    const { name, help } = processor.droppedMetric
    collectedTwice(registry, { name: `weir_${name}`, formerName: name, help }, NODE, counter => {
      for (const { pipeline, node, activity } of engine.nodeTotals()) {
        const type = typeOf(configuration, pipeline, node)
        if (type !== undefined && catalogue.processorOf(type) === processor)
          counter.inc({ pipeline, node }, activity.dropped)
      }
    })
  }
}

interface Named {
  readonly name: string
  readonly formerName: string
  readonly help: string
}

/** A collected counter that also has its former name, for queries that were written for that. */
function collectedTwice(
  registry: Registry,
  { name, formerName, help }: Named,
  labelNames: string[],
  collect: (counter: Counter<string>) => void,
): void {
  collectedCounter(registry, name, help, labelNames, collect)
  const former = `Former name of ${name}, which a later version will not have`
  collectedCounter(registry, formerName, former, labelNames, collect)
}

/** Type of a deployed processor. */
function typeOf(configuration: ConfigurationView, pipeline: string, node: string): string | undefined {
  const { revisionId } = configuration.get(deployments, pipeline)?.value ?? {}
  const document = deployedDocument(configuration, revisionId)
  return document?.nodes.find(({ id, kind }) => id === node && kind === 'transform')?.type
}
