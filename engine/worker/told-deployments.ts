import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { ConfigurationLog } from '../configuration/configuration-log.ts'
import { deploymentCut } from '../configuration/deployed-cuts.ts'
import { deployments } from '../configuration/entities.ts'
import { encodeControl } from '../fold/partition-fold.ts'
import type { Topic } from '../log/log.ts'

/**
 * Puts what is deployed of a pipeline onto the log of its account's partition, as a worker of it would.
 *
 * @throws LogError; then whether it is there is unknown
 */
export type TellDeployment = (pipelineId: string) => Promise<void>

/** A cut may be there several times, or come late: of one version the first counts, of several the highest. */
export function deploymentTeller(ingest: Topic, configuration: ConfigurationLog): TellDeployment {
  return async pipelineId => {
    const deployment = configuration.get(deployments, pipelineId)
    if (deployment === undefined) return
    const value = encodeControl({ 'weir.Cut': deploymentCut(configuration, deployment) })
    const partition = partitionOfAccount(deployment.value.account, ingest.partitions)
    await ingest.append(partition, { value, producer: null, priority: 'control' })
  }
}
