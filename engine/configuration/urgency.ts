import type { ConfigurationFold } from './configuration-fold.ts'
import { enterpriseShiftOf } from './enterprise-accounts.ts'
import type { StoredChange } from './size-bounds.ts'

/** Maximum length of a text that counts as an act: a key, a right, a pause, a suspension. (Our choice.) */
const ACT_CHARACTERS = 2_048
/** Longer texts of kinds that are not deferrable are ordinary. (Our choice.) */
const ESSENTIAL_CHARACTERS = 16_384

/**
 * Degree to which a write continues when space on the log, or the budget of its account, runs out:
 *
 * - `ordinary` stops first;
 * - `essential`: quotas, rules and the like, and anything that gets at most half as long. Smaller steps could be repeated without an end;
 * - `act`: short changes of keys, tokens, rights, pauses and suspensions, which never stop because of the budget;
 * - `relief`: removals and revocations, which stop for neither.
 */
export type Urgency = 'ordinary' | 'essential' | 'act' | 'relief'

/**
 * Urgency of changes that are written together. The most deferrable of them decides. Creating and detaching accounts is ordinary:
 * each account may write on its own.
 */
export function urgencyOf(
  changes: readonly StoredChange[],
  fold: Pick<ConfigurationFold, 'get' | 'textOf'>,
): Urgency {
  const { created, detached } = enterpriseShiftOf(changes, fold)
  if (created + detached > 0) return 'ordinary'
  const removes = changes.some(({ text }) => text === '')
  // The deletion of a pipeline writes gateway routes unchanged, which other pipelines share.
  const isBeside = ({ kind, id, text }: StoredChange) => removes && text === fold.textOf(kind, id)
  const written = changes.filter(change => change.text !== '' && !isBeside(change))
  const isHalved = ({ kind, id, text }: StoredChange) => text.length * 2 <= fold.textOf(kind, id).length
  const isOrdinary = ({ kind, text }: StoredChange) => kind.isDeferrable || text.length > ESSENTIAL_CHARACTERS
  if (written.some(change => isOrdinary(change) && !isHalved(change))) return 'ordinary'
  // A long text beside a removal could be written again and again.
  const isShort = written.every(({ kind }) => !kind.isDeferrable && !kind.isUserSized)
  if (isShort && removes) return 'relief'
  return isShort && written.every(({ text }) => text.length <= ACT_CHARACTERS) ? 'act' : 'essential'
}
