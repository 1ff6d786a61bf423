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
  /** Cuts in effect; absent where this process has no engine: loaded revisions are then unknown. */
  readonly inEffect?: CutsInEffect | undefined
}
