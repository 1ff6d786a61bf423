import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Store } from '../../engine/store/store.ts'
import type { CutsInEffect } from '../../schemas/log/cuts.ts'
import type { ConfigurationAuthenticator } from '../auth/authenticator.ts'
import type { TokenUses } from '../auth/token-uses.ts'
import type { PlanLimits } from './plan-limits.ts'
import type { Reach } from './reach.ts'

/** Settings of the operator for the resources of `/v1/config`. */
export interface ConfigurationSettings extends PlanLimits {
  /** Specification, section 5: service keys can no longer be created, unless the operator says so. */
  readonly allowServiceKeyCreation?: boolean | undefined
  /** Whether what is written must name an object store that answers. */
  readonly checkArchiving?: boolean | undefined
  /** How long a token confirms that an account is to take no more lines. */
  readonly suspensionTokenMinutes: number
}

/** What the routes of `/v1/config` need. */
export interface ConfigurationPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly reach: Reach
  readonly settings: ConfigurationSettings
  /** What the engine of this process has in effect; absent where none runs. */
  readonly inEffect?: CutsInEffect | undefined
  readonly authenticator: ConfigurationAuthenticator
  readonly uses: TokenUses
  /** Absent where none can be asked. */
  readonly store?: Store | undefined
}
