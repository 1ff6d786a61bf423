import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { Store } from '../../engine/store/store.ts'
import type { CutsInEffect } from '../../schemas/log/deployed-configuration.ts'
import type { ConfigurationAuthenticator } from '../auth/authenticator.ts'
import type { TokenUses } from '../auth/token-uses.ts'
import type { PlanLimits } from './plan-limits.ts'
import type { Reach } from './reach.ts'

/** Settings of the operator for the resources of `/v1/config`. */
export interface ConfigurationSettings extends PlanLimits {
  /** Whether the operator still allows the creation of service keys: specification, section 5. */
  readonly allowServiceKeyCreation?: boolean | undefined
  /** Whether an archiving configuration must name an object store that answers. */
  readonly checkArchiving?: boolean | undefined
  /** Lifetime of a token that confirms the suspension of ingestion. */
  readonly suspensionTokenMinutes: number
}

/** Ports of the resources of `/v1/config`; each resource uses some of them. */
export interface ConfigurationPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly reach: Reach
  readonly settings: ConfigurationSettings
  /** Cuts that the engine of this process has in effect; absent without an engine. */
  readonly inEffect?: CutsInEffect | undefined
  readonly authenticator: ConfigurationAuthenticator
  readonly uses: TokenUses
  /** The store; absent in a process without one. */
  readonly store?: Store | undefined
}
