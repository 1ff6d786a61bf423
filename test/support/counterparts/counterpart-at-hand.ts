import { foundFolder } from '../kafka/cached-folder.ts'
import { sayAloud } from '../kafka/needed-or-skipped.ts'
import type { Counterpart, ForeignProgram, RunningCounterpart } from './counterpart.ts'
import { FOREIGN_PROGRAMS } from './counterparts.ts'

/** A counterpart that can be had here, not yet started. */
export interface CounterpartAtHand {
  start(): Promise<RunningCounterpart>
}

/**
 * A counterpart: the server of its setting, else a new one from the program that `npm run counterparts` has put into the cache.
 *
 * @returns undefined when there is none; says so, once
 * @throws Error instead when WEIR_REQUIRE_COUNTERPARTS names it
 */
export function counterpartAtHand(counterpart: Counterpart): CounterpartAtHand | undefined {
  const { name, start } = counterpart
  const setting = `WEIR_COUNTERPART_${name.toUpperCase().replaceAll('-', '_')}`
  const url = process.env[setting]?.replace(/\/$/, '')
  if (url) return { start: async () => ({ url, stop: async () => {} }) }
  const found = preparedFolder(counterpart, `, or set ${setting}`)
  return found === undefined ? undefined : { start: () => start(found) }
}

/**
 * Folder of a program that `npm run counterparts` has put into the cache.
 *
 * @param otherRemedy text that follows the command in messages
 * @returns undefined when it is not there; says so, once
 * @throws Error instead when WEIR_REQUIRE_COUNTERPARTS names it
 */
export function preparedFolder(
  { name, product, folder }: ForeignProgram,
  otherRemedy = '',
): string | undefined {
  const found = foundFolder(folder)
  if (found !== undefined) return found
  const remedy = `run "npm run counterparts ${name}"${otherRemedy}`
  if (required().includes(name))
    throw new Error(`Tests need the counterpart ${name} (${product}): ${remedy}.`)
  sayAloud(`TESTS SKIPPED, THEY NEED THE COUNTERPART ${name} (${product}): ${remedy}.`)
  return undefined
}

/** Names that must not be skipped. */
function required(): readonly string[] {
  const names = (process.env.WEIR_REQUIRE_COUNTERPARTS ?? '').split(',').filter(name => name !== '')
  const unknown = names.find(name => !FOREIGN_PROGRAMS.some(each => each.name === name))
  if (unknown !== undefined)
    throw new Error(`WEIR_REQUIRE_COUNTERPARTS: there is no counterpart "${unknown}"`)
  return names
}
