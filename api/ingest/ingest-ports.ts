import type { LineRouting } from '../../engine/configuration/kinds/line-routing.ts'
import type { ReportDeployment } from '../../engine/worker/reported-deployments.ts'
import type { IngestWriter } from './ingest-writer.ts'
import type { RecentAnswers } from './recent-answers.ts'

/** Ports of ingestion. */
export interface IngestPorts {
  /** Id of the log to which lines are appended: it identifies the installation. */
  readonly logId: string
  readonly writer: IngestWriter
  readonly partitionOf: LineRouting
  readonly keys: RecentAnswers
  readonly reportDeployment: ReportDeployment
}
