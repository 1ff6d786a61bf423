import Type from 'typebox'
import { named } from '../../named.ts'

/** Suspending and resuming ingestion (configuration and account API, section 15). */

export const IngestionStatus = named('IngestionStatus', Type.Object({ is_ingesting: Type.Boolean() }))
export const SuspensionOffer = named(
  'SuspensionOffer',
  Type.Object({
    token: Type.String({
      description: 'Confirms the suspension once, within 15 minutes or the time that the operator has set',
    }),
  }),
)
export const SuspensionConfirmation = named(
  'SuspensionConfirmation',
  Type.Object({ token: Type.String({ minLength: 1 }) }),
)
export const IngestionChange = named(
  'IngestionChange',
  Type.Object({ status: Type.Enum(['suspended', 'ingesting']) }),
)
