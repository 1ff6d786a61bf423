import { readdirSync, readFileSync } from 'node:fs'
import avro from 'avsc'
import { describe, expect, test } from 'vitest'
import { BUNDLED_SCHEMAS } from '../../schemas/log/wire-format.ts'

const FOLDER = new URL('../../schemas/log/avro/', import.meta.url)
/** Stored data was written with these schemas: a change of a schema is a file with the next number. */
const FINGERPRINTS = JSON.parse(readFileSync(new URL('fingerprints.json', FOLDER), 'utf8')) as Record<
  string,
  string
>

interface Version {
  readonly file: string
  readonly name: string
  readonly number: number
  readonly type: avro.Type
}

function versionOf(file: string): Version {
  const [, name, number] = /^(.+)\.(\d+)\.avsc$/.exec(file) as unknown as [string, string, string]
  const schema = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as avro.Schema
  return { file, name, number: Number(number), type: avro.Type.forSchema(schema) }
}

const versions = readdirSync(FOLDER)
  .filter(file => file.endsWith('.avsc'))
  .map(versionOf)

function canRead(reader: avro.Type, writer: avro.Type): boolean {
  try {
    reader.createResolver(writer)
    return true
  } catch {
    return false
  }
}

describe.each(versions)('$file', ({ file, name, number, type }) => {
  test('is unchanged since its version was committed', () => {
    expect(type.fingerprint('sha256').toString('hex')).toBe(FINGERPRINTS[file])
  })

  test('reads the records of every earlier version', () => {
    for (const earlier of versions.filter(each => each.name === name && each.number < number)) {
      expect({ earlier: earlier.file, readable: canRead(type, earlier.type) }).toEqual({
        earlier: earlier.file,
        readable: true,
      })
    }
  })
})

test('the bundled ids are unique and name the newest version of every schema', () => {
  expect(new Set(BUNDLED_SCHEMAS.map(({ id }) => id)).size).toBe(BUNDLED_SCHEMAS.length)
  for (const name of new Set(versions.map(version => version.name))) {
    const newest = versions.filter(version => version.name === name).sort((a, b) => b.number - a.number)[0]
    expect(BUNDLED_SCHEMAS.map(({ file }) => file as string)).toContain(newest?.file)
  }
})

test('a schema registry, which counts from 1, does not reach the ids of future schemas', () => {
  for (const { id } of BUNDLED_SCHEMAS) expect(id <= 8 || id > 1_000_000_000).toBe(true)
})

test('a field that is added without a default, or changes its type, is reported as incompatible', () => {
  const writer = avro.Type.forSchema({ type: 'record', name: 'R', fields: [{ name: 'a', type: 'string' }] })
  const added = [
    { name: 'a', type: 'string' },
    { name: 'b', type: 'int' },
  ]
  expect(canRead(avro.Type.forSchema({ type: 'record', name: 'R', fields: added }), writer)).toBe(false)
  expect(
    canRead(avro.Type.forSchema({ type: 'record', name: 'R', fields: [{ name: 'a', type: 'int' }] }), writer),
  ).toBe(false)
})
