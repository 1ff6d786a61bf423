import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Dice } from '../support/dice.ts'
import type { ThrottleRule as BareThrottleRule } from '../support/throttle-model.ts'
import { node, SOURCE } from '../support/world.ts'
import {
  type CountingWindows,
  drawSteps,
  drawWindows,
  type RememberingStep,
  stepNode,
  windowNodes,
} from './remembering-step.ts'

/** A pipeline in the terms of the model, which does not use graphs. */
export interface Recipe {
  /** Source of the pipeline: lines of log ingestion, events of the account's gateway route, or both. */
  readonly reads: 'lines' | 'route' | 'both'
  /** Decoding of events of the gateway route. */
  readonly decoding: 'auto' | 'json'
  /** Lines of this level are dropped by a filter. */
  readonly dropLevel: string | undefined
  readonly throttle: ThrottleRule | undefined
  /** true: the filter is before the throttle. */
  readonly filterFirst: boolean
  /** true: events that pass are stored a second time, like the lines at the entry. */
  readonly storesTwice: boolean
  /**
   * true: all lines first pass a node with many options that change nothing, and are then compared with an expensive expression
   * that matches none.
   */
  readonly looks?: boolean
  /** true: the host of the request is encrypted in the metadata, and lines are stored with its vector as a tag. */
  readonly encrypts?: boolean
  /** Lines go through these behind the filter and the throttle. */
  readonly steps?: readonly RememberingStep[] | undefined
  /** Lines that pass are counted in these windows, too. */
  readonly windows?: CountingWindows | undefined
}

export interface ThrottleRule extends BareThrottleRule {
  /** Lines of this level pass without being counted. */
  readonly excludeLevel: string | undefined
}

export const WINDOWS_MS = [300, 2_000, 60_000, 7_200_000] as const
export const LEVELS = ['INFO', 'WARN', 'VIP', 'DEBUG'] as const
export const APPS = ['a', 'b', 'c', ''] as const
/** The source of a gateway route. */
export const DOOR = 'door'
/** A pushed event gets host, text and app only from its message. */
const AS_PUSHED = { message: { scheme: 'Message pass-through' }, query: { hostname: '{{ .host }}' } }

/** The vector of an event reaches the store. */
const TAGGED = { query: { tags: ['{{ metadata.iv }}'] } }

/**
 * An expression that repeats the same beginning so often that its cost cannot be counted. It costs its bound, and takes
 * little time.
 */
export const DEAR_EXPRESSION = `(?:${Array.from(
  { length: 60 },
  (_, index) => `${'x'.repeat(60)}${String.fromCharCode(0x100 + index)}`,
).join('|')}){30}`

/** Number of fields that a node looks for and never finds. */
export const SWEPT_FIELDS = 25_000

/** A recipe for an account without a gateway route. */
export function drawRecipe(dice: Dice): Recipe {
  return {
    reads: 'lines',
    decoding: 'auto',
    dropLevel: dice.chance(0.4) ? dice.pick(LEVELS) : undefined,
    throttle: dice.chance(0.8) ? drawRule(dice) : undefined,
    filterFirst: dice.chance(0.5),
    storesTwice: dice.chance(0.2),
  }
}

export function drawSources(dice: Dice): Pick<Recipe, 'reads' | 'decoding'> {
  return {
    reads: dice.pick(['route', 'route', 'both', 'lines']),
    decoding: dice.chance(0.3) ? 'json' : 'auto',
  }
}

/** Steps of a recipe that reads lines. */
export function drawMemory(dice: Dice): Pick<Recipe, 'steps' | 'windows'> {
  return { steps: drawSteps(dice), windows: drawWindows(dice) }
}

function drawRule(dice: Dice): ThrottleRule {
  return {
    limit: 1 + dice.below(3),
    windowMs: dice.pick(WINDOWS_MS),
    isKeyed: dice.chance(0.8),
    excludeLevel: dice.chance(0.3) ? 'VIP' : undefined,
  }
}

/** The recipe as a document. Ids of destinations contain the revision, so that counts of nodes distinguish revisions. */
export function documentOf(
  recipe: Recipe,
  { id, accountId, title, revision }: Omit<PipelineDocument, 'nodes'>,
  route: string,
): PipelineDocument {
  const nodes = sourcesOf(recipe, route)
  const sources = nodes.map(source => source.id)
  const limits = recipe.filterFirst ? [filterOf, throttleOf] : [throttleOf, filterOf]
  const remembering = (recipe.steps ?? []).map(
    step => (_recipe: Recipe, inputs: readonly string[]) => stepNode(step, inputs),
  )
  const steps = [sweepOf, lookOf, ...limits, ...remembering, encryptionOf]
  let last = sources
  for (const step of steps) {
    const made = step(recipe, last)
    if (made === undefined) continue
    nodes.push(made)
    last = [made.id]
  }
  const stored = recipe.reads === 'lines' ? {} : AS_PUSHED
  nodes.push(node('sink', `store-${revision}`, 'mezmo', last, recipe.encrypts ? TAGGED : stored))
  if (recipe.windows !== undefined) nodes.push(...windowNodes(recipe.windows, last, revision))
  if (recipe.storesTwice) nodes.push(node('sink', `again-${revision}`, 'mezmo', sources, stored))
  return { id, accountId, title, revision, nodes }
}

function sourcesOf({ reads, decoding }: Recipe, route: string): NodeDocument[] {
  const door = { ...node('source', DOOR, 'http', [], { decoding }), gateway_route_id: route }
  return [...(reads === 'route' ? [] : [SOURCE]), ...(reads === 'lines' ? [] : [door])]
}

function sweepOf({ looks }: Recipe, inputs: readonly string[]): NodeDocument | undefined {
  if (looks !== true) return undefined
  return node('transform', 'sweep', 'drop-fields', inputs, { fields: Array(SWEPT_FIELDS).fill('.z') })
}

function lookOf({ looks }: Recipe, inputs: readonly string[]): NodeDocument | undefined {
  if (looks !== true) return undefined
  const expression = { field: '.line', str_operator: 'regex_match', value: DEAR_EXPRESSION }
  const conditional = { expressions: [expression] }
  return node('transform', 'look', 'filter', inputs, { action: 'drop', conditional })
}

function encryptionOf({ encrypts }: Recipe, inputs: readonly string[]): NodeDocument | undefined {
  if (encrypts !== true) return undefined
  return node('transform', 'encrypt', 'encrypt-fields', inputs, {
    ...{ field: 'metadata.query.hostname', iv_field: 'metadata.iv' },
    ...{ algorithm: 'AES-128-CTR', key: 'sixteen byte key' },
  })
}

function filterOf({ dropLevel }: Recipe, inputs: readonly string[]): NodeDocument | undefined {
  if (dropLevel === undefined) return undefined
  return node('transform', 'filter', 'filter', inputs, { action: 'drop', conditional: levelIs(dropLevel) })
}

function throttleOf({ throttle }: Recipe, inputs: readonly string[]): NodeDocument | undefined {
  if (throttle === undefined) return undefined
  const { limit, windowMs, isKeyed, excludeLevel } = throttle
  return node('transform', 'limit', 'throttle', inputs, {
    threshold: limit,
    window_ms: windowMs,
    ...(isKeyed && { key_field: '.app' }),
    ...(excludeLevel !== undefined && { exclude: levelIs(excludeLevel) }),
  })
}

function levelIs(level: string) {
  return { expressions: [{ field: '.level', str_operator: 'equal', value: level }] }
}
