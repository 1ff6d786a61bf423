import Type from 'typebox'
import { Secret } from '../contract/secret.ts'

/** Account of Datadog, and its site. */
export const datadogAccountOptions = {
  api_key: Secret({ minLength: 1, description: 'API key of the account' }),
  site: Type.Enum(['us1', 'us3', 'us5', 'eu1'], { description: 'Site of the account' }),
}

/** Domain of each site. */
export const DATADOG_DOMAINS = {
  us1: 'datadoghq.com',
  us3: 'us3.datadoghq.com',
  us5: 'us5.datadoghq.com',
  eu1: 'datadoghq.eu',
} as const
