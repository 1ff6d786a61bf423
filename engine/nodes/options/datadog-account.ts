import Type from 'typebox'

/** Which account of Datadog, and where it lives. */
export const datadogAccountOptions = {
  api_key: Type.String({ minLength: 1, description: 'API key of the account' }),
  site: Type.Enum(['us1', 'us3', 'us5', 'eu1'], { description: 'Site of the account' }),
}
