import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { CutsInEffect } from '../../schemas/log/deployed-configuration.ts'

/** Ports that read and change pipelines. */
export interface PipelinePorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  /** Absent where no engine runs in this process: loaded revisions are unknown then. */
  readonly inEffect?: CutsInEffect | undefined
}
