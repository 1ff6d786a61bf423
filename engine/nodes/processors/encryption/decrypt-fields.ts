import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { type ErrorCode, type FoundType, foundType } from '../../../event/errors.ts'
import { fieldAt } from '../../../event/field-path.ts'
import { pass } from '../../../event/outcome.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor, type ExampleStep } from '../../contract/define-processor.ts'
import { Secret } from '../../contract/secret.ts'
import { ENCRYPTION_ALGORITHMS, encryptionKeyProblems } from '../../options/encryption-algorithm.ts'
import { BLOCK_BYTES } from './block.ts'
import { bytesOf, formOf } from './bytes-text.ts'
import { fieldCipher } from './field-cipher.ts'

/**
 * Decrypt fields: replaces a ciphertext by the encrypted text. The field with the initialisation vector stays. An event that cannot be
 * decrypted passes unchanged. Rules: components, section 5.4; the checks are in its order.
 */
export const decryptFields = defineProcessor({
  type: 'decrypt-fields',
  since: TWELFTH_BEHAVIOUR,
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
  foldSecrets: ['key'],
  errors: [
    'E_NOT_FOUND',
    'E_DECRYPT_BAD_TYPE',
    'E_DECRYPT_BAD_IV',
    'E_DECRYPT_FIELD_DECODE',
    'E_DECRYPT_IV_DECODE',
    'E_DECRYPT_FAILED',
  ],
  check: ({ algorithm, key }) => encryptionKeyProblems(algorithm, key),
  hiddenFields: ({ field, iv_field: ivField }) => [field, ivField],

  compile({ field, algorithm, key, iv_field: ivField, decode_raw_bytes: isBase64 = true }) {
    const source = fieldAt(field)
    const vector = fieldAt(ivField)
    const cipher = fieldCipher(algorithm, key)
    const form = formOf(isBase64)
    return event => {
      const value = source.read(event)
      if (value === undefined) return pass(event, 'E_NOT_FOUND', { field })
      const ivValue = vector.read(event)
      if (ivValue === undefined) return pass(event, 'E_NOT_FOUND', { field: ivField })
      if (typeof value !== 'string')
        return pass(event, 'E_DECRYPT_BAD_TYPE', { field, found: foundType(value) })
      if (typeof ivValue !== 'string')
        return pass(event, 'E_DECRYPT_BAD_IV', { field: ivField, found: foundType(ivValue) })
      const encrypted = bytesOf(value, form)
      if (encrypted === undefined && isBase64) return pass(event, 'E_DECRYPT_FIELD_DECODE', { field })
      const iv = bytesOf(ivValue, form)
      if (iv === undefined && isBase64) return pass(event, 'E_DECRYPT_IV_DECODE', { field: ivField })
      if (encrypted === undefined || iv?.length !== BLOCK_BYTES)
        return pass(event, 'E_DECRYPT_FAILED', { field })
      const clear = cipher.decrypt(encrypted, iv)
      if (clear === undefined || !isUtf8(clear)) return pass(event, 'E_DECRYPT_FAILED', { field })
      return source.write(event, clear.toString())
    }
  },

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

  examples: [
    {
      title: 'the field becomes the text that was encrypted, and the vector stays',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      steps: [
        {
          event: { pin: 'F8ol0w==', who: 'ada', pin_iv: 'AAECAwQFBgcICQoLDA0ODw==' },
          outcome: pass({ pin: '4821', who: 'ada', pin_iv: 'AAECAwQFBgcICQoLDA0ODw==' }),
        },
      ],
    },
    {
      title: 'the first check that fails decides the error, and the event passes unchanged',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      steps: [
        refused({ who: 'ada' }, 'E_NOT_FOUND', '.pin'),
        refused({ pin: 4821 }, 'E_NOT_FOUND', '.pin_iv'),
        refused({ pin: 4821, pin_iv: 1 }, 'E_DECRYPT_BAD_TYPE', '.pin', 'number'),
        refused({ pin: '4821!', pin_iv: null }, 'E_DECRYPT_BAD_IV', '.pin_iv', 'null'),
        refused({ pin: '4821!', pin_iv: '!' }, 'E_DECRYPT_FIELD_DECODE', '.pin'),
        refused({ pin: 'F8ol0w==', pin_iv: 'AAECAw' }, 'E_DECRYPT_IV_DECODE', '.pin_iv'),
        refused({ pin: 'F8ol0w==', pin_iv: 'AAECAw==' }, 'E_DECRYPT_FAILED', '.pin'),
      ],
    },
    {
      title: 'with another key the bytes are hardly ever text, which is recorded as a failure',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'some other key..', iv_field: '.pin_iv' },
      steps: [refused({ pin: 'F8ol0w==', pin_iv: 'AAECAwQFBgcICQoLDA0ODw==' }, 'E_DECRYPT_FAILED', '.pin')],
    },
  ],
})

/** Step of an example whose event passes with an error. */
function refused(event: JsonObject, code: ErrorCode, field: string, found?: FoundType): ExampleStep {
  const detail = found === undefined ? { field } : { field, found }
  return { event, outcome: pass<JsonValue, ErrorCode>(event, code, detail), errors: [[code, field]] }
}
