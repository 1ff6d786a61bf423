import type { TObject } from 'typebox'
import type { JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import { type ConfigCheck, checkConfig } from './config-schema.ts'

/**
 * Declaration of a node type, whether or not this program runs it. The API checks and stores options by it, and the
 * reference page is printed from it.
 */
export interface NodeDeclaration {
  /** Canonical wire id, unique among nodes of the same kind. */
  readonly type: string
  /** Other wire ids with the same meaning; the sent one is returned (pipeline API, appendix A). */
  readonly aliases?: readonly string[]
  readonly summary: string
  /** Sentences for the reference page: rules and bounds that the options and the examples do not show. */
  readonly notes?: readonly string[]
  /** Options with their defaults. */
  readonly config: TObject
  /**
   * Checks rules that a schema cannot express. It is called even if the schema reported something, so that all findings
   * are reported at once: members may have any type.
   */
  check?(sent: JsonObject, settings: NodeSettings): Problem[]
  /** Adds values that only the server can give, and nothing else (pipeline API, section 1.5). */
  complete?(stored: JsonObject, context: NodeContext): JsonObject
  /** Account feature without which a node of the type is not published. */
  readonly feature?: string
  /** Options as sent, with their stored form: they run as tests and are printed on the reference page. */
  readonly configs: readonly ConfigExample[]
}

/** Facts and rules of an installation, for the options of its nodes. */
export interface NodeSettings {
  /** Host of this installation, with its port: senders send lines to it. */
  readonly ownHost?: string
  /** Hosts of all installations that nodes can name; every host when absent. */
  readonly installationHosts?: RegExp
}

export interface NodeContext {
  readonly typeAsSent: string
  /** The options that this node had before; undefined for a new one. */
  readonly previous: JsonObject | undefined
  readonly settings: NodeSettings
}

export interface ConfigExample {
  readonly sent: JsonObject
  /**
   * Members that are stored and were not sent, at their places in objects and lists. An element of a list without such
   * members is `{}`. Absent: options are stored as sent.
   */
  readonly defaults?: JsonObject
}

/** Returns all findings, with pointers into the options, or the options to store. */
export function checkOptions(
  declaration: NodeDeclaration,
  sent: JsonObject,
  context: NodeContext,
): ConfigCheck {
  const checked = checkStoredOptions(declaration, sent, context.settings)
  if ('problems' in checked) return checked
  return { stored: declaration.complete?.(checked.stored, context) ?? checked.stored }
}

/** Checks options without completing them. Returns all findings, or the options with the defaults of their schema. */
export function checkStoredOptions(
  declaration: NodeDeclaration,
  options: JsonObject,
  settings: NodeSettings = {},
): ConfigCheck {
  const checked = checkConfig(declaration.config, options, declaration.type)
  const found = 'problems' in checked ? checked.problems : []
  const problems = [...found, ...(declaration.check?.(options, settings) ?? [])]
  return problems.length > 0 ? { problems } : checked
}
