import avro from 'avsc'
import { SIXTH_BEHAVIOUR } from './behaviour-numbers.ts'
import { holderOfWords, type StateHolder, wordsOfHolder } from './state-holder.ts'
import { avroType, schemaIdOf, schemaText, WireType } from './wire-format.ts'

/**
 * The state of one partition at the end of a batch. Offsets fit in 2^40. From the sixth behaviour on, its form is
 * avro/named-states-checkpoint.1.avsc, before that avro/checkpoint.1.avsc. A program that does not know the behaviour in
 * force never reads the newer form.
 */
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
  readonly states: readonly NamedState[]
}

/** One state of a checkpoint, and its name. */
export interface NamedState {
  readonly holder: StateHolder
  readonly data: Buffer
}

/** A checkpoint as it is written before the sixth behaviour. */
interface WordedCheckpoint extends Omit<Checkpoint, 'states'> {
  readonly states: readonly { readonly holder: string; readonly data: Buffer }[]
}

/** A piece of a written checkpoint. Chunks are written first, the manifest last. */
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

const stringType = avroType('"string"')
const longType = avroType('"long"')
// States may have tens of megabytes, and many readers need only the members before them.
const wordedType = new WireType<WordedCheckpoint>('Checkpoint', { sharesBytes: true })
const namedType = new WireType<Checkpoint>('NamedStatesCheckpoint', { sharesBytes: true })
const holderType = memberType(memberType(avroType(schemaText('NamedStatesCheckpoint')), 'states'), 'holder')

/** Reads checkpoints of either form, and writes them in the form of the behaviour in force. */
export const checkpointType = {
  encode(checkpoint: Checkpoint): Buffer {
    if (checkpoint.behaviour >= SIXTH_BEHAVIOUR) return namedType.encode(checkpoint)
    const states = checkpoint.states.map(({ holder, data }) => ({ holder: wordsOfHolder(holder), data }))
    return wordedType.encode({ ...checkpoint, states })
  },

  /** @throws WireFormatError like `WireType.decode` */
  decode(bytes: Buffer): Checkpoint {
    if (schemaIdOf(bytes) === namedType.id) return namedType.decode(bytes)
    const checkpoint = wordedType.decode(bytes)
    const states = checkpoint.states.flatMap(({ holder: words, data }) => {
      const holder = holderOfWords(words)
      return holder === undefined ? [] : [{ holder, data }]
    })
    return { ...checkpoint, states }
  },
}

/** The name of a state in its form in a checkpoint of a behaviour. */
export function encodedHolder(holder: StateHolder, behaviour: number): Uint8Array {
  return behaviour >= SIXTH_BEHAVIOUR
    ? holderType.toBuffer(holder)
    : stringType.toBuffer(wordsOfHolder(holder))
}

/** A length, or a number of states, in its form in a checkpoint. */
export function encodedLength(length: number): Uint8Array {
  return longType.toBuffer(length)
}

export const checkpointPartType = new WireType<CheckpointPart>('CheckpointPart', { sharesBytes: true })

/** Type of a member of a record; of a list, that of a member of its elements. */
function memberType(type: avro.Type, name: string): avro.Type {
  const record = (type instanceof avro.types.ArrayType ? type.itemsType : type) as avro.types.RecordType
  return record.field(name).type
}
