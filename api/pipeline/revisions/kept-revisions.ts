import {
  type Change,
  type ConfigurationLog,
  remove,
} from '../../../engine/configuration/configuration-log.ts'
import {
  deployments,
  type Pipeline,
  type Revision,
  revisions,
} from '../../../engine/configuration/entities.ts'
import type { Entity } from '../../../engine/configuration/kind.ts'
import { ConfigurationRejected } from '../../../engine/configuration/rejection.ts'
import { revisionsOf } from './revision.ts'

/** Maximum number of revisions that a pipeline keeps, with the deployed one. (Our choice.) */
const MAX_REVISIONS = 100
/** Maximum number of removals in one event; the next publication continues. */
const MAX_REMOVALS = 1_000

/**
 * Removes the oldest revisions before another one of the pipeline is published. A pipeline keeps 100. All revisions of an
 * account that are not deployed keep the length that its other objects may have.
 *
 * @throws ConfigurationRejected SIZE_LIMIT when the deployed revisions of the account alone exceed that length
 */
export function outdatedRevisions(configuration: ConfigurationLog, pipeline: Entity<Pipeline>): Change[] {
  const { account } = pipeline.value
  const { accountCharacters } = configuration
  const lengthOf = ({ id }: Entity<Revision>) => configuration.charactersOf(revisions, id)
  const others = configuration.list(deployments, account).filter(({ id }) => id !== pipeline.id)
  const deployed = new Set(others.map(({ value }) => value.revisionId))
  const all = configuration.list(revisions, account)
  const deployedLength = all
    .filter(({ id }) => deployed.has(id))
    .reduce((sum, each) => sum + lengthOf(each), 0)
  if (deployedLength > accountCharacters)
    throw new ConfigurationRejected({
      code: 'SIZE_LIMIT',
      message:
        `The deployed revisions of an account must be at most ${accountCharacters} characters long together: they are ` +
        `${deployedLength} now. Delete pipelines, or publish shorter ones`,
    })
  // The newest one gives the next its number, and partitions may still handle events with it.
  const own = revisionsOf(configuration, pipeline)
  const beyond = new Set(own.slice(0, Math.max(0, own.length + 1 - MAX_REVISIONS)))
  const newest = own.at(-1)
  const kept = all.filter(each => !deployed.has(each.id) && each !== newest)
  let length = kept.filter(each => !beyond.has(each)).reduce((sum, each) => sum + lengthOf(each), 0)
  for (const each of kept) {
    if (length <= accountCharacters) break
    if (beyond.has(each)) continue
    beyond.add(each)
    length -= lengthOf(each)
  }
  return [...beyond].slice(0, MAX_REMOVALS).map(each => remove(revisions, each))
}

/** Removes the revisions of a pipeline that is deleted. Those beyond the maximum become outdated ones of the account. */
export function revisionsOfDeletion(configuration: ConfigurationLog, pipeline: Entity<Pipeline>): Change[] {
  return revisionsOf(configuration, pipeline)
    .slice(0, MAX_REMOVALS)
    .map(each => remove(revisions, each))
}
