import { createDecipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonObject, type JsonValue, NumberText } from '../../../../schemas/json.ts'
import { Event } from '../../../event/event.ts'
import type { Failed, PassedWithError } from '../../../event/outcome.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import type { Processor } from '../../contract/define-processor.ts'
import { checkStoredOptions } from '../../contract/node-declaration.ts'
import { ENCRYPTION_ALGORITHMS, modeOf } from '../../options/encryption-algorithm.ts'
import { decryptFields } from './decrypt-fields.ts'
import { encryptFields } from './encrypt-fields.ts'

const TIME = '2031-03-09T08:15:30.250Z'
const CONFIG = { field: '.pin', algorithm: 'AES-128-CFB', key: 'sixteen byte key', iv_field: '.iv' }

function compiled(processor: Processor, config: JsonObject, place = () => 'some place') {
  const checked = checkStoredOptions(processor, config)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  const process = processor.compile(checked.stored, () => {}, UNMETERED, { place })
  return (event: Event) => process(event, undefined, 0)
}

const encrypted = (config: JsonObject, event: Event, place?: string) =>
  compiled(encryptFields, config, place === undefined ? undefined : () => place)(event)
const eventOf = (message: JsonValue, metadata: JsonObject = {}) => Event.of(message, metadata, TIME)
/** Code and field of an error; an event that passes gives undefined. */
const errorOf = (outcome: unknown) => {
  const { code, detail } = outcome as Failed<never>
  return code && [code, detail.field]
}

describe.each(ENCRYPTION_ALGORITHMS)('%s', algorithm => {
  const config = { ...CONFIG, algorithm, key: 'k'.repeat(modeOf(algorithm).bits / 8) }

  test.each([true, false])('decrypting gives the text back, as base64: %s', isBase64 => {
    const encrypt = { ...config, encode_raw_bytes: isBase64 }
    const decrypt = compiled(decryptFields, { ...config, decode_raw_bytes: isBase64 })
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.string(), (pin, place) => {
        const closed = encrypted(encrypt, eventOf({ pin, other: 1 }), place) as Event
        const { pin: text, iv } = closed.message as Record<string, string>
        expect(text).not.toBe(pin === '' ? null : pin)
        if (isBase64)
          expect([text, iv]).toEqual([
            expect.stringMatching(/^[\w+/]*=*$/),
            expect.stringMatching(/^.{22}==$/),
          ])
        else expect(iv).toHaveLength(16)
        expect((decrypt(closed) as Event).message).toEqual({ pin, other: 1, iv })
      }),
      { numRuns: 40 },
    )
  })
})

test('the vector depends on the place and on the key', () => {
  const of = (place: string, key = CONFIG.key) =>
    ((encrypted({ ...CONFIG, key }, eventOf({ pin: 1 }), place) as Event).message as JsonObject).iv
  expect(of('a')).toBe(of('a'))
  expect(new Set([of('a'), of('b'), of('a', 'another 16 bytes')]).size).toBe(3)
})

test('vector and filling are the digest of the place by the key, so a replay gives the same bytes', () => {
  const digest = createHmac('sha256', CONFIG.key).update('some place').digest()
  const config = { ...CONFIG, algorithm: 'AES-128-CBC-ISO10126' }
  const { pin, iv } = (encrypted(config, eventOf({ pin: 'abc' }), 'some place') as Event).message as Record<
    string,
    string
  >
  expect(iv).toBe(digest.subarray(0, 16).toString('base64'))
  const decipher = createDecipheriv('aes-128-cbc', CONFIG.key, digest.subarray(0, 16)).setAutoPadding(false)
  const block = decipher.update(Buffer.from(pin as string, 'base64'))
  expect(block).toEqual(Buffer.concat([Buffer.from('abc'), digest.subarray(16, 28), Buffer.from([13])]))
})

test('a value is encrypted as its JSON text, with all digits', () => {
  const decrypt = compiled(decryptFields, CONFIG)
  const values: [JsonValue, string][] = [
    [4821, '4821'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [false, 'false'],
    [12345678901234567890n as never, '12345678901234567890'],
    [new NumberText('1.10') as never, '1.10'],
  ]
  for (const [pin, text] of values)
    expect((decrypt(encrypted(CONFIG, eventOf({ pin })) as Event) as Event).message).toMatchObject({
      pin: text,
    })
})

describe('where the vector is stored', () => {
  const outcome = (iv_field: string, message: JsonValue, field = '.pin', metadata: JsonObject = {}) =>
    encrypted({ ...CONFIG, field, iv_field }, eventOf(message, metadata))

  test('parents that are missing are created', () => {
    expect((outcome('.a.b.iv', { pin: 1 }) as Event).message).toMatchObject({
      a: { b: { iv: expect.any(String) } },
    })
    const { message, metadata } = outcome('metadata.a.iv', { pin: 1 }) as Event
    expect([Object.keys(message as object), metadata]).toEqual([['pin'], { a: { iv: expect.any(String) } }])
  })

  test('what is there is overwritten', () => {
    expect((outcome('.iv', { pin: 1, iv: { a: 1 } }) as Event).message).toMatchObject({
      iv: expect.any(String),
    })
  })

  test.each<[string, JsonValue]>([
    ['.a.iv', { pin: 1, a: 'text' }],
    ['.a.iv', { pin: 1, a: null }],
    ['.a.b.iv', { pin: 1, a: { b: 5 } }],
    ['.a[0]', { pin: 1, a: [] }],
    ['.a[1001]', { pin: 1 }],
    ['.pin.iv', { pin: '1' }],
    ['timestamp', { pin: 1 }],
  ])('%s of %j cannot hold it: the event fails', (ivField, message) => {
    expect(errorOf(outcome(ivField, message))).toEqual(['E_ENCRYPT_FAILED', ivField])
  })

  test('a message that is encrypted as a whole has room in the metadata alone', () => {
    expect(errorOf(outcome('.iv', 'a text', '.'))).toEqual(['E_ENCRYPT_FAILED', '.iv'])
    const { message, metadata } = outcome('metadata.iv', 'a text', '.') as Event
    expect([message, metadata]).toEqual([expect.stringMatching(/^.{8}$/), { iv: expect.any(String) }])
  })

  test('the time of the event cannot be a ciphertext: the event fails', () => {
    expect(errorOf(outcome('.iv', {}, 'timestamp'))).toEqual(['E_ENCRYPT_FAILED', 'timestamp'])
  })

  test.each([
    ['.a', '.a', 1],
    ['.a', '.a.b', 1],
    ['.', '.a', 1],
    ['metadata', 'metadata.a', 1],
    ['.a.b', '.a', 0],
    ['.a', '.b', 0],
    ['.a', 'metadata.a', 0],
  ])('a vector at %s that would replace the field %s is not published', (iv_field, field, problems) => {
    expect(encryptFields.runProblems?.({ ...CONFIG, iv_field, field })).toHaveLength(problems)
  })

  test('incomplete options have no finding', () => {
    expect(encryptFields.runProblems?.({})).toEqual([])
  })
})

describe('base64 of a field to decrypt', () => {
  const decrypt = compiled(decryptFields, CONFIG)
  const IV = 'AAECAwQFBgcICQoLDA0ODw=='
  test.each(['F8ol0w', 'F8ol0w=', 'F8ol\n0w==', 'F8ol0x==', 'F8ol-w==', ' F8ol0w=='])(
    '%j is refused',
    text => {
      expect(errorOf(decrypt(eventOf({ pin: text, iv: IV })))).toEqual(['E_DECRYPT_FIELD_DECODE', '.pin'])
      expect(errorOf(decrypt(eventOf({ pin: 'F8ol0w==', iv: text })))).toEqual(['E_DECRYPT_IV_DECODE', '.iv'])
    },
  )

  test('without base64 a character that is not a byte is a failure', () => {
    const raw = compiled(decryptFields, { ...CONFIG, decode_raw_bytes: false })
    const iv = 'x'.repeat(16)
    expect(errorOf(raw(eventOf({ pin: 'Ā', iv })))).toEqual(['E_DECRYPT_FAILED', '.pin'])
    expect(errorOf(raw(eventOf({ pin: 'a', iv: `${iv.slice(1)}Ā` })))).toEqual(['E_DECRYPT_FAILED', '.pin'])
    expect(errorOf(raw(eventOf({ pin: 'a', iv: `${iv}x` })))).toEqual(['E_DECRYPT_FAILED', '.pin'])
  })
})

test('bytes that are not UTF-8 are a failure, and the event passes as it was', () => {
  const event = encrypted(CONFIG, eventOf({ pin: 'ä' })) as Event
  const { pin, iv } = event.message as Record<string, string>
  const cut = eventOf({
    pin: Buffer.from(pin as string, 'base64')
      .subarray(0, 1)
      .toString('base64'),
    iv: iv as string,
  })
  const outcome = compiled(decryptFields, CONFIG)(cut)
  expect(errorOf(outcome)).toEqual(['E_DECRYPT_FAILED', '.pin'])
  expect((outcome as PassedWithError<never>).event).toBe(cut)
})

test('a processor that asks for places does not run without them', () => {
  const process = encryptFields.compile(CONFIG, () => {}, UNMETERED)
  expect(() => process(eventOf({ pin: 1 }), undefined, 0)).toThrow('events have no places here')
})
