import { expect, test } from 'vitest'
import { Seal } from '../../engine/configuration/seal.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { encodeControl } from '../../engine/fold/control-record.ts'
import type { Flush } from '../../engine/fold/flush.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { catalogueWith } from '../support/catalogue-with.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { readNativeBlock } from '../support/native-reader.ts'
import { stamp, stampOf } from '../support/stamp-processor.ts'
import { node, SOURCE } from '../support/world.ts'

const IDENTITY = { topic: 'weir.ingest', partition: 0, partitions: 1, logId: 'log' }
const KEY = 'pl4nted key'
const DOCUMENT = {
  ...{ id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1 },
  nodes: [
    SOURCE,
    node('transform', 'stamp', 'stamp', ['source'], { key: KEY }),
    node('sink', 'store', 'log-analysis', ['stamp']),
  ],
}

const TYPES = catalogueWith({ processors: [stamp] })
/** The node types in a process of an installation with a secret key. @param seed seed of its entropy */
const sealedBy = (secretKey: number, seed = 1) =>
  TYPES.withSeal(new Seal(Buffer.alloc(32, secretKey), seededEntropy(seed)))
const CATALOGUE = sealedBy(1)

/** Payload of the cut that deploys the pipeline. */
const payloadBy = (catalogue: Catalogue) => jsonText(catalogue.foldDocumentOf(DOCUMENT))

const cutOf = (payload: string) =>
  encodeControl(CATALOGUE, { 'weir.Cut': { kind: 'pipeline', entity: 'p', version: 1, payload } })
const cut = cutOf(payloadBy(CATALOGUE))
/** A fold that applies each value as a record, with the texts of the lines that it stored. */
class Partition {
  readonly #fold: PartitionFold
  readonly texts: string[] = []

  constructor(catalogue: Catalogue, checkpoint?: Buffer) {
    this.#fold = PartitionFold.restored(catalogue, IDENTITY, checkpoint)
  }

  apply(...values: readonly Buffer[]): this {
    for (const value of values) {
      const { nextOffset: offset } = this.#fold
      this.#note(this.#fold.apply({ offset, appendTimeMs: Number(offset), producer: null, value }))
    }
    return this
  }

  /** Ends the batch, and takes a checkpoint. */
  checkpoint(): Buffer {
    this.apply(encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: this.#fold.deadlineMs } }))
    const flush = this.#fold.checkpointAtRest()
    this.#note([flush])
    return flush.checkpoint as Buffer
  }

  #note(flushes: readonly Flush[]): void {
    for (const { table, block } of flushes.flatMap(({ tables }) => tables))
      if (table === 'lines') this.texts.push(...readNativeBlock(block).rows.map(({ line }) => String(line)))
  }
}

const linesOf = (...texts: string[]) => texts.map(line => lineBatchValue([{ lines: [{ line }] }]))
const stamps = (...texts: string[]) => texts.map(text => stampOf(KEY, text))

test('the fold computes with a secret that is on the log and in checkpoints only sealed', () => {
  const partition = new Partition(CATALOGUE).apply(cut, ...linesOf('a', 'b'))
  const checkpoint = partition.checkpoint()
  expect(partition.texts).toEqual(stamps('a', 'b'))
  for (const bytes of [cut, checkpoint]) {
    expect(bytes.toString('latin1')).not.toContain(KEY)
    expect(bytes.toString('latin1')).toContain('{"key":{"sealed":"')
  }
})

test('a process that begins with a checkpoint, or with the log, computes the same', () => {
  const checkpoint = new Partition(CATALOGUE).apply(cut, ...linesOf('a')).checkpoint()
  for (const catalogue of [CATALOGUE, sealedBy(1, 2)]) {
    const restarted = new Partition(catalogue, checkpoint).apply(...linesOf('b'))
    const replayed = new Partition(catalogue).apply(cut, ...linesOf('a', 'b'))
    restarted.checkpoint()
    replayed.checkpoint()
    expect([restarted.texts, replayed.texts]).toEqual([stamps('b'), stamps('a', 'b')])
  }
})

test('all processes of an installation send the same cut', () => {
  expect(payloadBy(sealedBy(1, 2))).toBe(payloadBy(CATALOGUE))
  expect(payloadBy(sealedBy(2))).not.toBe(payloadBy(CATALOGUE))
})

const PLACE = 'option key of node stamp in revision 1 of pipeline p'

test('a process with another secret key refuses the cut with a sentence', () => {
  expect(() => new Partition(sealedBy(2)).apply(cut)).toThrow(
    `The secret at "${PLACE}" cannot be decrypted: this configuration was written with another secret key. Set WEIR_SECRET_KEY to that key`,
  )
})

test.each([
  ['node', '"id":"stamp"', '"id":"other"'],
  ['pipeline', '"id":"p"', '"id":"q"'],
  ['revision', '"revision":1', '"revision":2'],
])('a sealed secret cannot be opened in another %s', (_part, own, other) => {
  const payload = payloadBy(CATALOGUE)
  expect(payload.split(own)).toHaveLength(2)
  const moved = payload.replace(own, other).replace('"inputs":["stamp"]', '"inputs":["source"]')
  expect(() => new Partition(CATALOGUE).apply(cutOf(moved))).toThrow('cannot be decrypted')
})

test('without a secret key the fold stops with a sentence', () => {
  expect(() => new Partition(TYPES).apply(cut)).toThrow(
    `The secret at "${PLACE}" cannot be decrypted without a secret key: set WEIR_SECRET_KEY`,
  )
})
