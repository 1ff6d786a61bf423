import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { CutsInEffect } from '../../schemas/log/cuts.ts'

/** What the routes of pipelines need to read and change them. */
export interface PipelinePorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  /** Absent where no engine runs in this process: what it has loaded is not known then. */
  readonly inEffect?: CutsInEffect | undefined
}
