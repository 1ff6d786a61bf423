import type { TObject } from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { type ConfigCheck, checkConfig } from './config-schema.ts'

/**
 * What every kind of node says of itself, whether or not this program runs it: the API checks and stores its options
 * by this, and the reference page is printed from it.
 */
export interface NodeDeclaration {
  /** Canonical wire id, unique among nodes of the same kind. */
  readonly type: string
  /** Other wire ids that mean the same; what was sent is echoed (pipeline API, appendix A). */
  readonly aliases?: readonly string[]
  readonly summary: string
  /** Options with their defaults. */
  readonly config: TObject
  /**
   * Rules that the schema cannot tell. It is asked even when the schema found something, so that all findings are
   * reported at once: what it looks at may have any type.
   */
  check?(sent: JsonObject, settings: NodeSettings): Problem[]
  /** Writes in what only the server can give, and nothing else (pipeline API, section 1.5). */
  complete?(stored: JsonObject, context: NodeContext): JsonObject
  /** Options with what is stored of them: they run as tests and are printed on the reference page. */
  readonly configs: readonly ConfigExample[]
}

/** What an installation adds to the rules of its nodes. */
export interface NodeSettings {
  /** Hosts that a log-analysis destination may name; every host when absent. */
  readonly logHostPattern?: RegExp
  /** This installation's own ingestion host, filled in where a configuration names none. */
  readonly ingestHost?: string
}

export interface NodeContext {
  readonly typeAsSent: string
  /** The options that this node had before; undefined for a new one. */
  readonly previous: JsonObject | undefined
  readonly settings: NodeSettings
}

export interface ConfigExample {
  readonly sent: JsonObject
  readonly stored: JsonObject
}

/** All findings at once, with pointers into the options; what is stored when there are none. */
export function checkOptions(
  declaration: NodeDeclaration,
  sent: JsonObject,
  context: NodeContext,
): ConfigCheck {
  const checked = checkConfig(declaration.config, sent)
  const found = 'problems' in checked ? checked.problems : []
  const problems = [...found, ...(declaration.check?.(sent, context.settings) ?? [])]
  if (problems.length > 0 || 'problems' in checked) return { problems }
  return { stored: declaration.complete?.(checked.stored, context) ?? checked.stored }
}

/** Finds declarations by their type or one of their aliases. */
export function byWireId<Declaration extends NodeDeclaration>(
  declarations: readonly Declaration[],
): ReadonlyMap<string, Declaration> {
  return new Map(
    declarations.flatMap(declaration =>
      [declaration.type, ...(declaration.aliases ?? [])].map(type => [type, declaration] as const),
    ),
  )
}
