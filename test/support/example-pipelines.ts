import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { Destination } from '../../engine/nodes/contract/define-destination.ts'
import type { Processor } from '../../engine/nodes/contract/define-processor.ts'
import type { Source } from '../../engine/nodes/contract/define-source.ts'
import { checkStoredOptions, type NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { ingestedRecord } from '../bench/ingested-batch.ts'
import { pushedValue } from './line-batches.ts'
import { node } from './world.ts'

export const EXAMPLE_ACCOUNT = 'd3a4c0de03'

/** Pipeline around the first worked example of a node type. */
export interface ExamplePipeline {
  readonly id: string
  readonly nodes: readonly NodeDocument[]
  /** Records that it reads, in order; times are relative to the first. */
  readonly records: readonly { readonly atMs: number; readonly value: Buffer }[]
}

interface Around {
  readonly nodes: readonly [NodeDocument, ...NodeDocument[]]
  /** Pushed messages, or the body of an ingestion request. */
  readonly sent: readonly PushedStep[] | string
}

interface PushedStep {
  readonly atMs?: number | undefined
  readonly messages: readonly JsonValue[]
}

/** A pipeline for each type that runs since a behaviour number. */
export function examplePipelines(catalogue: Catalogue, behaviour: number): ExamplePipeline[] {
  const isOfNumber = ({ since = FIRST_BEHAVIOUR }: { readonly since?: number }) => since === behaviour
  return [
    ...catalogue.runningSources.filter(isOfNumber).map(aroundSource),
    ...catalogue.processors.filter(isOfNumber).map(type => aroundProcessor(catalogue, type)),
    ...catalogue.destinations.filter(isOfNumber).map(type => aroundDestination(catalogue, type)),
  ].map(({ nodes: [source, ...others], sent }, index) => {
    const id = `example-${index}`
    if (typeof sent === 'string') {
      const value = ingestedRecord(EXAMPLE_ACCOUNT, Buffer.from(sent), 0)
      return { id, nodes: [source, ...others], records: [{ atMs: 0, value }] }
    }
    const route = `77777777-7777-4777-8777-${String(index).padStart(12, '0')}`
    const records = sent.map(({ atMs = 0, messages }) => ({
      atMs,
      value: pushedValue([{ messages }], route, EXAMPLE_ACCOUNT),
    }))
    return { id, nodes: [{ ...source, gateway_route_id: route }, ...others], records }
  })
}

function aroundSource(source: Source): Around {
  const [example] = source.examples
  const config = example !== undefined && 'config' in example ? example.config : {}
  const nodes: Around['nodes'] = [
    node('source', 'door', source.type, [], stored(source, config)),
    store('door'),
  ]
  // Nothing reads pull sources yet, so their records have no form.
  if (example === undefined || 'batches' in example) return { nodes, sent: [] }
  if ('hostname' in example) return { nodes, sent: example.body }
  return { nodes, sent: [{ messages: example.messages ?? [] }] }
}

function aroundProcessor(catalogue: Catalogue, processor: Processor): Around {
  const [example] = processor.examples
  const work = node('transform', 'work', processor.type, ['door'], stored(processor, example?.config))
  const outputs = catalogue.outputsOf(work).map(({ id }) => id)
  const sent = example?.steps.map(({ event, atMs }) => ({ atMs, messages: [event] }))
  return { nodes: [DOOR, work, store(...outputs)], sent: sent ?? [] }
}

function aroundDestination(catalogue: Catalogue, destination: Destination): Around {
  const [example] = destination.examples
  const sink = node('sink', 'work', destination.type, ['door'], stored(destination, example?.config))
  const messages = example === undefined ? [] : 'events' in example ? example.events : [example.event]
  return {
    nodes: [DOOR, { ...sink, user_config: catalogue.foldOptionsOf(sink, { id: 'p', revision: 1 }) }],
    sent: [{ messages }],
  }
}

const DOOR = node('source', 'door', 'http')

function store(...inputs: readonly string[]): NodeDocument {
  return node('sink', 'store', 'mezmo', inputs, { message: { scheme: 'Message pass-through' } })
}

function stored(declaration: NodeDeclaration, sent: JsonObject = {}): JsonObject {
  const checked = checkStoredOptions(declaration, sent)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.stored
}
