import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { ConfigurationLog } from '../configuration/configuration-log.ts'
import { pipelineCuts } from '../configuration/cuts/pipeline.ts'
import { deployments } from '../configuration/entities.ts'
import { encodeControl } from '../fold/control-record.ts'
import type { Topic } from '../log/log.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'

/**
 * Appends the deployment of a pipeline to the log of its account's partition, as a worker of it would.
 *
 * @throws LogError; it is then unknown whether it was appended
 */
export type ReportDeployment = (pipelineId: string) => Promise<void>

/** A cut may be present several times, or late: the first of one version counts, and the highest of several versions. */
export function deploymentReporter(
  catalogue: Catalogue,
  ingest: Topic,
  configuration: ConfigurationLog,
): ReportDeployment {
  return async pipelineId => {
    const deployment = configuration.get(deployments, pipelineId)
    if (deployment === undefined) return
    const cut = pipelineCuts.cutOf(deployment, { catalogue, log: configuration })
    const value = encodeControl(catalogue, { 'weir.Cut': cut })
    const partition = partitionOfAccount(deployment.value.account, ingest.partitions)
    await ingest.append(partition, { value, producer: null, priority: 'control' })
  }
}
