import Type from 'typebox'
import { FieldPath } from '../contract/config-schema.ts'
import { declareProcessor } from '../contract/define-processor.ts'
import { Secret } from '../contract/secret.ts'
import { ENCRYPTION_ALGORITHMS, encryptionKeyProblems } from '../options/encryption-algorithm.ts'

/** Decrypt fields: replaces a ciphertext by the encrypted text. Rules: components, section 5.4. */
export const decryptFields = declareProcessor({
  type: 'decrypt-fields',
  summary: 'Decrypt a field.',
  config: Type.Object(
    {
      field: FieldPath({ description: 'Field to decrypt' }),
      algorithm: Type.Enum(ENCRYPTION_ALGORITHMS, { description: 'Cipher, key length and mode' }),
      key: Secret({ description: 'Key, as many characters as the algorithm wants' }),
      iv_field: FieldPath({ description: 'Field that contains the initialisation vector' }),
      decode_raw_bytes: Type.Optional(
        Type.Boolean({ default: true, description: 'Read base64, not one character per byte' }),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ algorithm, key }) => encryptionKeyProblems(algorithm, key),
  configs: [
    {
      sent: {
        field: '.pin',
        algorithm: 'AES-256-CBC-PKCS7',
        key: 'thirty-two bytes make up the key',
        iv_field: '.pin_iv',
        decode_raw_bytes: false,
      },
    },
  ],
})
