import { WireType } from './wire-format.ts'

/** The state of one partition at the end of a batch; see avro/checkpoint.1.avsc. Offsets fit in 2^40. */
export interface Checkpoint {
  readonly behaviour: number
  readonly logId: string
  readonly nextOffset: number
  readonly timeMs: number
  readonly sliceMs: number
  readonly stored: readonly { readonly table: string; readonly offset: number; readonly row: number }[]
  readonly cuts: readonly {
    readonly kind: string
    readonly entity: string
    readonly version: number
    readonly payload: string
  }[]
  readonly producers: readonly { readonly id: string; readonly sequence: number; readonly timeMs: number }[]
  readonly states: readonly { readonly holder: string; readonly data: Buffer }[]
}

/** A piece of a written checkpoint: chunks first, the manifest last. */
export interface CheckpointPart {
  readonly topic: string
  readonly partition: number
  readonly epoch: number
  readonly nextOffset: number
  readonly part:
    | { readonly 'weir.Chunk': { readonly index: number; readonly data: Buffer } }
    | { readonly 'weir.Manifest': CheckpointManifest }
}

export interface CheckpointManifest {
  readonly firstChunkOffset: number
  readonly chunks: number
  readonly bytes: number
  readonly crc32: number
}

export const checkpointType = new WireType<Checkpoint>('Checkpoint')
export const checkpointPartType = new WireType<CheckpointPart>('CheckpointPart')
