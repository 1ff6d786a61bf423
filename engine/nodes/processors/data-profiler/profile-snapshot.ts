import { snapshotList } from '../../../windows/snapshot-lines.ts'
import type { CountedRole } from '../../contract/profile-view.ts'
import type { KeptField, KeptOthers } from './field-summaries.ts'
import type { LineTemplate } from './line-templates.ts'
import type { KeptCount } from './name-counts.ts'

export const PROFILE_FORMAT = 1

/** Sums over all events, and the present run. */
export interface Totals {
  events: number
  bytes: number
  cutEvents: number
  /** Events of the present run. */
  runEvents: number
  /** Log time of the first one, UNIX ms. */
  startedMs: number | undefined
  /** Digest of the options of the run. */
  options: string
}

/** A part of a profile in a snapshot. */
export type Kept =
  | readonly [part: 'totals', totals: Totals]
  | readonly [part: 'template', template: KeptTemplate, made: number]
  | readonly [part: 'field', ...KeptField]
  | readonly [part: 'others', ...KeptOthers]
  | readonly [part: 'names', role: CountedRole, counts: readonly KeptCount[]]

export type KeptTemplate = Omit<LineTemplate, 'apps'> & { readonly apps: readonly string[] }

/** Equal profiles have equal snapshots, so the order of members is fixed. */
export function keptTemplate({
  number,
  way,
  tokens,
  lines,
  bytes,
  apps,
  samples,
}: LineTemplate): KeptTemplate {
  return { number, way, tokens, lines, bytes, apps: [...apps], samples }
}

/** @throws RangeError when the bytes are not a snapshot */
export function keptIn(bytes: Uint8Array): Kept[] {
  const [format, ...kept] = snapshotList(bytes)
  if (format !== PROFILE_FORMAT) throw new RangeError(`a profile in an unknown format: ${String(format)}`)
  if (!kept.every(isKept)) throw new RangeError('a profile in a snapshot is damaged')
  return kept
}

/** The parts of a snapshot, and the types of their members. */
const SHAPES: Readonly<Record<Kept[0], readonly string[]>> = {
  totals: ['object'],
  template: ['object', 'number'],
  field: ['string', 'object', 'object'],
  others: ['number', 'number'],
  names: ['string', 'object'],
}

function isKept(value: unknown): value is Kept {
  if (!Array.isArray(value) || !Object.hasOwn(SHAPES, String(value[0]))) return false
  const types = SHAPES[value[0] as Kept[0]]
  return types.length === value.length - 1 && types.every((type, index) => typeof value[index + 1] === type)
}
