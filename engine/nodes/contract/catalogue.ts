import type { JsonObject } from '../../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../../schemas/pipeline.ts'
import type { ConfigCheck } from './config-schema.ts'
import { type Destination, NO_TRANSPORT, type OwnStore, type SinkNode } from './define-destination.ts'
import type { Processor, ProcessorDeclaration } from './define-processor.ts'
import type { Source } from './define-source.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { OwnStoreSink } from './own-store.ts'
import { assertSecretsAreFound, isSealed, type SecretSeal, secretPlaces, withoutSecrets } from './secret.ts'
import { SendingSink } from './sending-sink.ts'
import type { SourceDeclaration } from './source-declaration.ts'

export type NodeKind = NodeDocument['kind']

/** The node types of a program. */
export interface NodeTypes {
  readonly sources: readonly (Source | SourceDeclaration)[]
  readonly processors: readonly (Processor | ProcessorDeclaration)[]
  readonly destinations: readonly (Destination | NodeDeclaration)[]
  /** Destination of the default graph. */
  readonly ownStore: OwnStore
  /** Works as `checkStoredOptions`, whose validator the fold must not reach. */
  readonly check: (declaration: NodeDeclaration, options: JsonObject) => ConfigCheck
  /** Seal of the installation. Absent: a processor that needs a secret in the fold cannot run. */
  readonly seal?: SecretSeal
}

/** Output of a node, as other nodes name it in their `inputs` (pipeline API, section 2.3). */
export interface NodeOutput {
  readonly id: string
  readonly label: string
  /** Part of the id after the dot; undefined for the default output. */
  readonly name?: string
}

/**
 * Every node type that a program knows, found by wire id. Graph, fold and API receive it as a value, so none of them
 * imports a node.
 */
export class Catalogue {
  /** All types of each kind (pipeline API, sections 4 to 6), including those that this program does not run. */
  readonly declarations: Readonly<Record<NodeKind, readonly NodeDeclaration[]>>
  /** Sources, including those that are only declared. */
  readonly sources: readonly SourceDeclaration[]
  /** Sources that this program runs. */
  readonly runningSources: readonly Source[]
  /** Processors that this program runs. */
  readonly processors: readonly Processor[]
  /** Destinations that this program runs. */
  readonly destinations: readonly Destination[]
  readonly ownStore: OwnStore
  readonly #types: NodeTypes
  readonly #declared: Readonly<Record<NodeKind, ReadonlyMap<string, NodeDeclaration>>>
  readonly #declaredSources: ReadonlyMap<string, SourceDeclaration>
  readonly #declaredProcessors: ReadonlyMap<string, ProcessorDeclaration>
  readonly #sources: ReadonlyMap<string, Source>
  readonly #processors: ReadonlyMap<string, Processor>
  readonly #destinations: ReadonlyMap<string, Destination>

  /** @throws RangeError if secrets in the options of a type could remain unseen */
  constructor(types: NodeTypes) {
    const { sources, processors, destinations, ownStore } = types
    this.#types = types
    this.declarations = { source: sources, transform: processors, sink: destinations }
    for (const { type, config } of [...sources, ...processors, ...destinations])
      assertSecretsAreFound(config, type)
    this.sources = sources
    // Only types that run have worked examples.
    this.runningSources = sources.filter(source => 'examples' in source)
    this.processors = processors.filter(processor => 'examples' in processor)
    this.destinations = destinations.filter(destination => 'examples' in destination)
    for (const destination of this.destinations) assertNoSecretInFold(destination)
    this.ownStore = ownStore
    this.#declaredSources = byWireId(sources)
    this.#declaredProcessors = byWireId(processors)
    this.#declared = {
      source: this.#declaredSources,
      transform: this.#declaredProcessors,
      sink: byWireId(destinations),
    }
    this.#sources = byWireId(this.runningSources)
    this.#processors = byWireId(this.processors)
    this.#destinations = byWireId(this.destinations)
  }

  /** @param type wire id or alias */
  declarationOf(kind: NodeKind, type: string): NodeDeclaration | undefined {
    return this.#declared[kind].get(type)
  }

  /** Returns a source, even one that is only declared. @param type wire id or alias */
  sourceOf(type: string): SourceDeclaration | undefined {
    return this.#declaredSources.get(type)
  }

  /** Returns a source that this program runs. @param type wire id or alias */
  runningSourceOf(type: string): Source | undefined {
    return this.#sources.get(type)
  }

  /** Returns a processor that this program runs. @param type wire id or alias */
  processorOf(type: string): Processor | undefined {
    return this.#processors.get(type)
  }

  /** Returns a destination that this program runs. @param type wire id or alias */
  destinationOf(type: string): Destination | undefined {
    return this.#destinations.get(type)
  }

  /** Whether this program runs nodes of a type. Other types are accepted and stored, and cannot be published. */
  isBuilt(kind: NodeKind, type: string): boolean {
    if (kind === 'transform') return this.#processors.has(type)
    if (kind === 'source') {
      const source = this.#sources.get(type)
      return source !== undefined && isOpened(source)
    }
    const destination = this.#destinations.get(type)
    return destination !== undefined && isCarried(destination)
  }

  /** Whether events of a source keep the metadata of the request that brought them. */
  keepsMetadata({ type, user_config }: Pick<NodeDocument, 'type' | 'user_config'>): boolean {
    const source = this.#sources.get(type)
    return source?.entrance === 'gateway' ? source.keepsMetadata(user_config) : true
  }

  /**
   * Options of a node of a processor, with their defaults.
   *
   * @throws RangeError for options that could not have been stored
   */
  processorOptions(processor: Processor, node: NodeDocument): JsonObject {
    const { id } = node
    const checked = this.#types.check(processor, this.#opened(processor, node))
    if ('stored' in checked) return checked.stored
    const [{ instancePath, message } = { instancePath: '', message: '' }] = checked.problems
    throw new RangeError(`options of node ${id}:${instancePath === '' ? '' : ` ${instancePath}`} ${message}`)
  }

  /** The same node types, with the seal of an installation. */
  withSeal(seal: SecretSeal): Catalogue {
    return new Catalogue({ ...this.#types, seal })
  }

  /**
   * Options of a node that partitions receive. Secrets are sealed, and are included only where the fold needs them. A
   * destination has only the options that the fold reads.
   */
  foldOptionsOf(node: NodeDocument): JsonObject {
    const { kind, type, user_config: config } = node
    const declaration = this.declarationOf(kind, type)
    if (declaration === undefined) return {} // no partition could run it
    const open = withoutSecrets(declaration.config, config)
    if (kind === 'source') return open
    if (kind === 'transform') return { ...open, ...this.#sealedSecrets(node) }
    const read = this.#destinations.get(type)?.foldOptions ?? []
    return Object.fromEntries(Object.entries(open).filter(([name]) => read.includes(name)))
  }

  #sealedSecrets({ id, type, user_config: config }: NodeDocument): JsonObject {
    const { seal } = this.#types
    const sealed: JsonObject = {}
    for (const name of this.#processors.get(type)?.foldSecrets ?? []) {
      const secret = config[name]
      if (seal === undefined || typeof secret !== 'string') continue
      sealed[name] = { sealed: seal.closeAlike(secret, placeOfSecret(id, name)) }
    }
    return sealed
  }

  /** Options of a node with the secrets that the fold needs; those of a draft are not sealed. */
  #opened({ foldSecrets = [] }: Processor, { id, user_config: config }: NodeDocument): JsonObject {
    const { seal } = this.#types
    let opened = config
    for (const name of foldSecrets) {
      const secret = config[name]
      if (seal === undefined || !isSealed(secret)) continue
      opened = { ...opened, [name]: seal.open(secret.sealed, placeOfSecret(id, name)) }
    }
    return opened
  }

  /**
   * A pipeline in the form that partitions receive. Alerts are left out as a whole: partitions do not evaluate them, and
   * they contain passwords and keys of services.
   */
  foldDocumentOf({ alerts: _, ...document }: PipelineDocument): PipelineDocument {
    const nodes = document.nodes.map(node => ({ ...node, user_config: this.foldOptionsOf(node) }))
    return { ...document, nodes }
  }

  /** The canonical id of an alias; undefined when the contract does not have the type. */
  canonicalTypeOf(kind: NodeKind, type: string): string | undefined {
    return this.declarationOf(kind, type)?.type
  }

  /** Outputs of a node, in their listed order; none for sinks. */
  outputsOf({ id, kind, type, user_config: config }: NodeDocument): readonly NodeOutput[] {
    if (kind === 'sink') return []
    const named = kind === 'transform' ? this.#declaredProcessors.get(type)?.outputs?.(config) : undefined
    if (named === undefined) return [{ id, label: 'Default' }]
    return named.map(({ name, label }) => ({ id: `${id}.${name}`, label, name }))
  }

  /** Compiled sinks that make lines of the own store, by node id. */
  ownStoresOf(sinks: readonly SinkNode[]): Map<string, OwnStoreSink> {
    return new Map(
      sinks.flatMap(({ nodeId, type, config }) => {
        const destination = this.#destinations.get(type)
        return destination?.delivery === 'lines' ? [[nodeId, destination.compile(config)] as const] : []
      }),
    )
  }

  /** Compiled sinks whose events leave by requests, by node id. */
  sendingSinksOf(sinks: readonly SinkNode[]): Map<string, SendingSink> {
    return new Map(
      sinks.flatMap(({ nodeId, type, config }) => {
        const destination = this.#destinations.get(type)
        return destination?.delivery === 'requests'
          ? [[nodeId, new SendingSink(destination, config)] as const]
          : []
      }),
    )
  }

  /** Sink of the default graph, which runs if no pipeline reads an account's lines. */
  defaultOwnStore(): OwnStoreSink {
    return this.ownStore.compile({})
  }
}

/** Whether events of a source arrive: nothing opens a source that pulls. */
export function isOpened({ entrance }: Source): boolean {
  return entrance !== 'pull'
}

/** Whether anything carries the requests of a destination, or it has none. */
export function isCarried(destination: Destination): boolean {
  return destination.delivery === 'lines' || destination.transport === NO_TRANSPORT
}

/** Partitions do not get secrets of destinations, so the fold would run without the option. */
function assertNoSecretInFold({ type, config, foldOptions }: Destination): void {
  for (const [name = '', ...within] of secretPlaces(config))
    if (within.length === 0 && foldOptions.includes(name))
      throw new RangeError(`the fold of destination "${type}" cannot read the secret option "${name}"`)
}

/** A sealed secret can only be opened in its place. */
function placeOfSecret(node: string, option: string): string {
  return `option ${option} of node ${node}`
}

/** Finds declarations by their type or one of their aliases. */
function byWireId<Declaration extends NodeDeclaration>(
  declarations: readonly Declaration[],
): ReadonlyMap<string, Declaration> {
  return new Map(
    declarations.flatMap(declaration =>
      [declaration.type, ...(declaration.aliases ?? [])].map(type => [type, declaration] as const),
    ),
  )
}
