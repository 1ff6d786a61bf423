import Type from 'typebox'
import { Secret } from '../contract/secret.ts'

/** Access key of AWS, and the region of its queues and objects (pipeline API, section 4). */
export const awsAccess = {
  auth: Type.Object(
    {
      access_key_id: Type.String({ minLength: 1, description: 'Access key id' }),
      secret_access_key: Secret({ minLength: 1, description: 'Secret access key' }),
    },
    { additionalProperties: false, description: 'Access key of an AWS user' },
  ),
  region: Type.String({ minLength: 1, description: 'AWS region, such as eu-central-1' }),
}
