import type { JsonObject } from '../../../schemas/json.ts'
import type { NodeDocument, PipelineDocument } from '../../../schemas/pipeline.ts'
import { byWireId } from './by-wire-id.ts'
import { assertNoSecretInFold, elsewhereOf, isCarried } from './carried-destination.ts'
import type { ConfigCheck } from './config-schema.ts'
import {
  type Destination,
  NO_TRANSPORT,
  type OwnStore,
  type PublishSite,
  type SendingDestination,
  type SinkNode,
} from './define-destination.ts'
import type { Processor, ProcessorDeclaration } from './define-processor.ts'
import type { Source } from './define-source.ts'
import type { NodeDeclaration } from './node-declaration.ts'
import type { OwnStoreSink } from './own-store.ts'
import { assertSecretsAreFound, isSealed, type SecretSeal, withoutSecrets } from './secret.ts'
import { SendingSink } from './sending-sink.ts'
import type { SourceDeclaration } from './source-declaration.ts'

export type NodeKind = NodeDocument['kind']

/** Pipeline and number of a revision. */
export type RevisionName = Pick<PipelineDocument, 'id' | 'revision'>

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
  /** Destinations that create requests, including those whose requests nothing carries yet. */
  readonly sendingDestinations: readonly SendingDestination[]
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
    const defined = destinations.filter(destination => 'examples' in destination)
    for (const destination of defined) assertNoSecretInFold(destination)
    this.destinations = defined.filter(isCarried)
    this.sendingDestinations = defined.flatMap(destination =>
      destination.delivery === 'requests' ? [destination] : elsewhereOf(destination),
    )
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
    this.#destinations = byWireId([...defined, ...defined.flatMap(elsewhereOf)])
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

  /** Returns a destination that is not only declared. @param type wire id, alias, or type in a document of a partition */
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
   * @throws RangeError for options that could not have been stored, or for a sealed secret without a seal
   */
  processorOptions(processor: Processor, node: NodeDocument, revision: RevisionName): JsonObject {
    const { id } = node
    const checked = this.#types.check(processor, this.#opened(processor, node, revision))
    if ('stored' in checked) return checked.stored
    const [{ instancePath, message } = { instancePath: '', message: '' }] = checked.problems
    throw new RangeError(`options of node ${id}:${instancePath === '' ? '' : ` ${instancePath}`} ${message}`)
  }

  /** Returns the node types of this catalogue with the seal of an installation. */
  withSeal(seal: SecretSeal): Catalogue {
    return new Catalogue({ ...this.#types, seal })
  }

  /**
   * Options of a node that partitions receive. Secrets are sealed, and are included only where the fold needs them. A
   * destination has only the options that the fold reads.
   */
  foldOptionsOf(node: NodeDocument, revision: RevisionName): JsonObject {
    const { kind, type, user_config: config } = node
    const destination = kind === 'sink' ? this.#destinations.get(type) : undefined
    const declaration = this.declarationOf(kind, type) ?? destination
    if (declaration === undefined) return {} // no partition could run it
    const open = withoutSecrets(declaration.config, config)
    if (kind === 'source') return open
    if (kind === 'transform') return { ...open, ...this.#sealedSecrets(node, revision) }
    const read = destination?.foldOptions ?? []
    return Object.fromEntries(Object.entries(open).filter(([name]) => read.includes(name)))
  }

  #sealedSecrets({ id, type, user_config: config }: NodeDocument, revision: RevisionName): JsonObject {
    const { seal } = this.#types
    const sealed: JsonObject = {}
    for (const name of this.#processors.get(type)?.foldSecrets ?? []) {
      const secret = config[name]
      if (seal === undefined || typeof secret !== 'string') continue
      sealed[name] = { sealed: seal.closeAlike(secret, placeOfSecret(revision, id, name)) }
    }
    return sealed
  }

  /** Options of a node with the secrets that the fold needs; those of a draft are not sealed. */
  #opened(
    { foldSecrets = [] }: Processor,
    { id, user_config: config }: NodeDocument,
    revision: RevisionName,
  ): JsonObject {
    const { seal } = this.#types
    let opened = config
    for (const name of foldSecrets) {
      const secret = config[name]
      if (!isSealed(secret)) continue
      const place = placeOfSecret(revision, id, name)
      if (seal === undefined)
        throw new RangeError(
          `The secret at "${place}" cannot be decrypted without a secret key: set WEIR_SECRET_KEY`,
        )
      opened = { ...opened, [name]: seal.open(secret.sealed, place) }
    }
    return opened
  }

  /**
   * A pipeline in the form that partitions receive. Alerts are left out as a whole: partitions do not evaluate them, and
   * they contain passwords and keys of services.
   *
   * @param elsewhere ids of the nodes whose lines go to another installation
   */
  foldDocumentOf(
    { alerts: _, ...document }: PipelineDocument,
    elsewhere: readonly string[] = [],
  ): PipelineDocument {
    const nodes = document.nodes.map(node => ({
      ...node,
      type: this.runningTypeOf(node, elsewhere.includes(node.id)),
      user_config: this.foldOptionsOf(node, document),
    }))
    return { ...document, nodes }
  }

  /** Whether the lines of a node go to another installation. */
  goesElsewhere({ kind, type, user_config }: NodeDocument, site: Pick<PublishSite, 'isOwnHost'>): boolean {
    const destination = kind === 'sink' ? this.#destinations.get(type) : undefined
    return destination?.delivery === 'lines' && destination.goesElsewhere?.(user_config, site) === true
  }

  /** Type under which partitions run a node: its own as it was sent, unless its lines go to another installation. */
  runningTypeOf({ kind, type }: Pick<NodeDocument, 'kind' | 'type'>, isElsewhere: boolean): string {
    const destination = kind === 'sink' && isElsewhere ? this.#destinations.get(type) : undefined
    return destination?.delivery === 'lines' ? (destination.elsewhere?.type ?? type) : type
  }

  /** Whether the events of a node leave in requests: then it has deliveries. */
  sendsRequests(node: Pick<NodeDocument, 'kind' | 'type'>, isElsewhere: boolean): boolean {
    if (node.kind !== 'sink') return false
    const destination = this.#destinations.get(this.runningTypeOf(node, isElsewhere))
    return destination?.delivery === 'requests' && destination.transport !== NO_TRANSPORT
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

/** A sealed secret can only be opened in its place. */
function placeOfSecret({ id, revision }: RevisionName, node: string, option: string): string {
  return `option ${option} of node ${node} in revision ${revision} of pipeline ${id}`
}
