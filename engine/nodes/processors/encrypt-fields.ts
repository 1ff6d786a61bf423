import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'
import { Secret } from '../contract/secret.ts'
import { ENCRYPTION_ALGORITHMS, encryptionKeyProblems } from '../options/encryption-algorithm.ts'

/** Encrypt fields: replaces a value by its ciphertext. Rules: components, section 5.6. */
export const encryptFields = declareProcessor({
  type: 'encrypt-fields',
  summary: 'Encrypt a field.',
  config: Type.Object(
    {
      field: FieldPath({ description: 'Field to encrypt: a string, number or boolean' }),
      algorithm: Type.Enum(ENCRYPTION_ALGORITHMS, { description: 'Cipher, key length and mode' }),
      key: Secret({ description: 'Key, as many characters as the algorithm wants' }),
      iv_field: FieldPath({ description: 'Field that receives the initialisation vector' }),
      encode_raw_bytes: Type.Optional(
        Type.Boolean({ default: true, description: 'Write base64, not one character per byte' }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ algorithm, key }) => encryptionKeyProblems(algorithm, key),
  configs: [
    {
      sent: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      defaults: { encode_raw_bytes: true },
    },
  ],
})
