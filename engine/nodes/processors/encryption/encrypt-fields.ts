import Type from 'typebox'
import { isJsonObject, type JsonValue, NumberText } from '../../../../schemas/json.ts'
import { TWELFTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { foundType } from '../../../event/errors.ts'
import { fieldAt, isAround, placesAround } from '../../../event/field-path.ts'
import { fail, pass } from '../../../event/outcome.ts'
import { jsonText } from '../../../json/json-text.ts'
import { FieldPath } from '../../contract/config-schema.ts'
import { defineProcessor } from '../../contract/define-processor.ts'
import { NO_PLACE } from '../../contract/event-place.ts'
import { Secret } from '../../contract/secret.ts'
import { ENCRYPTION_ALGORITHMS, encryptionKeyProblems } from '../../options/encryption-algorithm.ts'
import { BLOCK_BYTES } from './block.ts'
import { formOf } from './bytes-text.ts'
import { fieldCipher } from './field-cipher.ts'
import { KeyedDigest } from './keyed-digest.ts'

/**
 * Encrypt fields: replaces a value by its ciphertext, and stores the initialisation vector beside it. An event whose value cannot
 * be encrypted ends here, so that it never goes on in clear. Rules: components, section 5.6.
 *
 * The vector is not random, because a replay must give the same bytes: it is an HMAC over the place of the event, with the key of the
 * node. No two events have the same place, so no two texts are encrypted with the same vector.
 */
export const encryptFields = defineProcessor({
  type: 'encrypt-fields',
  since: TWELFTH_BEHAVIOUR,
  summary: 'Encrypt a field.',
  notes: [
    'The key is used as UTF-8 text, without hexadecimal or base64. The initialization vector is derived from the place of the event on the log, so a replay gives the same texts, and no two events share one.',
    'In `CTR` algorithms, the counter is the first 8 bytes of the initialization vector, little-endian.',
  ],
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
  foldSecrets: ['key'],
  errors: ['E_NOT_FOUND', 'E_ENCRYPT_BAD_TYPE', 'E_ENCRYPT_FAILED'],
  check: ({ algorithm, key }) => encryptionKeyProblems(algorithm, key),
  // The options of a node that is being edited may be incomplete.
  runProblems: ({ field, iv_field: ivField }: { readonly field?: unknown; readonly iv_field?: unknown }) =>
    typeof field === 'string' && typeof ivField === 'string' && isAround(ivField, field)
      ? [{ instancePath: '/iv_field', message: 'must not contain the field that is encrypted' }]
      : [],
  hiddenFields: ({ field, iv_field: ivField }) => [field, ivField],

  compile(
    { field, algorithm, key, iv_field: ivField, encode_raw_bytes: isBase64 = true },
    _report,
    _meter,
    { place = NO_PLACE } = {},
  ) {
    const source = fieldAt(field)
    const target = fieldAt(ivField)
    const parents = placesAround(ivField)
    const cipher = fieldCipher(algorithm, key)
    const keyed = new KeyedDigest(Buffer.from(key))
    const form = formOf(isBase64)
    return event => {
      const value = source.read(event)
      if (value === undefined) return pass(event, 'E_NOT_FOUND', { field })
      const clear = clearTextOf(value)
      if (clear === undefined) return fail('E_ENCRYPT_BAD_TYPE', { field, found: foundType(value) })
      const digest = keyed.of(place())
      const iv = digest.subarray(0, BLOCK_BYTES)
      const encrypted = cipher.encrypt(Buffer.from(clear), iv, digest.subarray(BLOCK_BYTES))
      const changed = source.write(event, encrypted.toString(form))
      if (changed === event) return fail('E_ENCRYPT_FAILED', { field })
      for (const parent of parents) {
        const around = parent.field.read(changed)
        // An object in which an index is written would become an array.
        if (around !== undefined && (parent.isIndexed || !isJsonObject(around)))
          return fail('E_ENCRYPT_FAILED', { field: ivField, found: foundType(around) })
      }
      const stored = target.write(changed, iv.toString(form))
      return stored === changed ? fail('E_ENCRYPT_FAILED', { field: ivField }) : stored
    }
  },

  configs: [
    {
      sent: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      defaults: { encode_raw_bytes: true },
    },
  ],

  examples: [
    {
      title: 'equal values get different ciphertexts; numbers and booleans are encrypted as their JSON text',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      steps: [
        {
          event: { pin: 4821, who: 'ada' },
          outcome: pass({ pin: '8xS/iw==', who: 'ada', pin_iv: 'gpErbqjutNL0K+TXvSAONA==' }),
        },
        {
          event: { pin: 4821, who: 'ada' },
          outcome: pass({ pin: 'FP4RTA==', who: 'ada', pin_iv: 'OoJsHhWaoaOPooBb/4wONg==' }),
        },
        {
          event: { pin: true, pin_iv: 'before' },
          outcome: pass({ pin: 'UbMlCA==', pin_iv: 'ZuXzNm8hTdIP5dUKcDRiKg==' }),
        },
        { event: { pin: '' }, outcome: pass({ pin: '', pin_iv: 'qN6obkeEQxvbLtDX+WiJsg==' }) },
      ],
    },
    {
      title: 'a missing field is recorded, and the event passes',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      steps: [
        {
          event: { who: 'ada' },
          outcome: pass({ who: 'ada' }, 'E_NOT_FOUND', { field: '.pin' }),
          errors: [['E_NOT_FOUND', '.pin']],
        },
      ],
    },
    {
      title: 'null, objects and arrays are not encrypted, and the event ends here',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.pin_iv' },
      steps: [
        {
          event: { pin: null },
          outcome: fail('E_ENCRYPT_BAD_TYPE', { field: '.pin', found: 'null' }),
          errors: [['E_ENCRYPT_BAD_TYPE', '.pin']],
        },
        {
          event: { pin: [4821] },
          outcome: fail('E_ENCRYPT_BAD_TYPE', { field: '.pin', found: 'array' }),
          errors: [['E_ENCRYPT_BAD_TYPE', '.pin']],
        },
      ],
    },
    {
      title: 'the vector is never written into a value that is not an object: the event ends here',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.door.iv' },
      steps: [
        {
          event: { pin: '4821', door: 'north' },
          outcome: fail('E_ENCRYPT_FAILED', { field: '.door.iv', found: 'string' }),
          errors: [['E_ENCRYPT_FAILED', '.door.iv']],
        },
      ],
    },
    {
      title: 'an object stays as it is where the vector would be an element of it: the event ends here',
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.ivs[0]' },
      steps: [
        {
          event: { pin: '4821', ivs: { door: 'north' } },
          outcome: fail('E_ENCRYPT_FAILED', { field: '.ivs[0]', found: 'object' }),
          errors: [['E_ENCRYPT_FAILED', '.ivs[0]']],
        },
      ],
    },
  ],
})

/** @returns undefined for a value that is not encrypted */
function clearTextOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value
  const isScalar = ['number', 'boolean', 'bigint'].includes(typeof value) || value instanceof NumberText
  return isScalar ? jsonText(value) : undefined
}
