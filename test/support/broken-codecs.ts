import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { type BodyReader, type LineCodec, type LineRun, lineCodec } from '../../engine/lines/line-codec.ts'
import type { TimeBounds } from '../../engine/lines/scan/timestamp.ts'

/** A codec with one fault. */
export interface BrokenCodec {
  readonly fault: string
  newCodec(): LineCodec
  /** Titles of rules that must find the fault, by suite. */
  readonly foundBy: Partial<Readonly<Record<'columns' | 'fields' | 'slots', string>>>
}

type ReadArguments = Parameters<BodyReader['readLines']>
type Fill = LineCodec['fill']

/** The codec in TypeScript, with other members of its readers. */
function readerWith(change: (reader: BodyReader) => Partial<BodyReader>): LineCodec {
  return {
    newReader() {
      const reader = lineCodec.newReader()
      const changed: BodyReader = {
        load: chunks => reader.load(chunks),
        get body() {
          return reader.body
        },
        envelope: () => reader.envelope(),
        readingEnvelope: () => reader.readingEnvelope(),
        readLines: (...given) => reader.readLines(...given),
        scanLines: (...given) => reader.scanLines(...given),
        parsingLines: (...given) => reader.parsingLines(...given),
      }
      return Object.defineProperties(changed, Object.getOwnPropertyDescriptors(change(reader)))
    },
    fill: lineCodec.fill,
  }
}

/** All three ways of reading, with other arguments. */
function readsWith(change: (given: ReadArguments) => ReadArguments): LineCodec {
  return readerWith(reader => ({
    readLines: (...given) => reader.readLines(...change(given)),
    scanLines: (...given) => reader.scanLines(...change(given)),
    parsingLines: (...given) => reader.parsingLines(...change(given)),
  }))
}

function intoFirstColumns(): (given: ReadArguments) => ReadArguments {
  let first: LineBatchBuilder | undefined
  return ([columns, ...others]) => {
    first ??= columns
    return [first, ...others]
  }
}

function withoutEarlierLines([columns, ...others]: ReadArguments): ReadArguments {
  columns.clear()
  return [columns, ...others]
}

function boundsOfFirstRequest(): (given: ReadArguments) => ReadArguments {
  let first: TimeBounds | undefined
  return ([columns, bounds, ...others]) => {
    first ??= bounds
    return [columns, first, ...others]
  }
}

function fillWith(change: (run: LineRun) => LineRun): LineCodec {
  const fill: Fill = (run, from, names, columns) => lineCodec.fill(change(run), from, names, columns)
  return { newReader: lineCodec.newReader, fill }
}

function withFirst<Value>(values: ArrayLike<Value>): Value[] {
  return Array.from({ length: values.length }, () => values[0] as Value)
}

/** The day of the first call holds for all. */
function onFirstDay(): (run: LineRun) => LineRun {
  let first: number | undefined
  return run => {
    first ??= run.timeMs
    return { ...run, timeMs: first }
  }
}

/** Faults that suites once let through, and their neighbours. */
export const BROKEN_CODECS: readonly BrokenCodec[] = [
  {
    fault: 'a scan appends nothing',
    newCodec: () =>
      readerWith(reader => ({
        scanLines: (_columns, ...given) => reader.scanLines(new LineBatchBuilder(), ...given),
      })),
    foundBy: { columns: 'a body gives the same columns by a scan, or else by the complete rules' },
  },
  {
    fault: 'the complete rules append nothing',
    newCodec: () =>
      readerWith(reader => ({
        parsingLines: (_columns, ...given) => reader.parsingLines(new LineBatchBuilder(), ...given),
      })),
    foundBy: { columns: 'a body gives the same columns by the complete rules alone' },
  },
  {
    fault: 'a scan that gives up leaves a line',
    newCodec: () =>
      readerWith(reader => ({
        scanLines(columns, ...given) {
          const read = reader.scanLines(columns, ...given)
          if (read === undefined) columns.addEvent('left', 0)
          return read
        },
      })),
    foundBy: { columns: 'a body gives the same columns by a scan, or else by the complete rules' },
  },
  {
    fault: 'the complete rules read the body that is loaded at their first step',
    newCodec: () =>
      readerWith(reader => ({
        *parsingLines(...given) {
          return yield* reader.parsingLines(...given)
        },
      })),
    foundBy: { columns: 'the steps of the complete rules go on after other bodies were loaded' },
  },
  {
    fault: 'the envelope is empty',
    newCodec: () =>
      readerWith(() => ({ envelope: () => ({ apikey: '', hostname: '', mac: '', ip: '', tags: [] }) })),
    foundBy: { columns: 'the loaded body is kept until the next one, and its envelope is that of the body' },
  },
  {
    fault: 'the body is empty',
    newCodec: () => readerWith(() => ({ body: Buffer.alloc(0) })),
    foundBy: { columns: 'the loaded body is kept until the next one, and its envelope is that of the body' },
  },
  {
    fault: 'lines are appended to the columns of an earlier request',
    newCodec: () => readsWith(intoFirstColumns()),
    foundBy: { columns: 'a reader that has read one body reads the next one in the same way' },
  },
  {
    fault: 'lines of earlier requests are removed',
    newCodec: () => readsWith(withoutEarlierLines),
    foundBy: { columns: 'requests of every form in one record' },
  },
  {
    fault: 'the time of the first request holds for all',
    newCodec: () => readsWith(boundsOfFirstRequest()),
    foundBy: { columns: 'requests that arrive at different times, of accounts with different retention' },
  },
  {
    fault: 'tags of the request do not count',
    newCodec: () =>
      readsWith(([columns, bounds, tags, limitBytes]) => [columns, bounds, tags && [], limitBytes]),
    foundBy: { columns: 'tags of the request that count 1 bytes more than the limit, body 0' },
  },
  {
    fault: 'readers share one body',
    newCodec: () => {
      const reader = lineCodec.newReader()
      return { newReader: () => reader, fill: lineCodec.fill }
    },
    foundBy: { columns: 'readers of one codec have bodies of their own' },
  },
  {
    fault: 'a text begins where the one before it ends',
    newCodec: () =>
      fillWith(run => ({
        ...run,
        starts: Array.from(run.ends, (_, row) => (row === 0 ? 0 : (run.ends[row - 1] as number))),
      })),
    foundBy: {
      fields: 'texts that stand with parts of JSON between them give the same columns',
      slots: 'texts that stand with parts of JSON between them give the same columns',
    },
  },
  {
    fault: 'the first day holds for all',
    newCodec: () => fillWith(onFirstDay()),
    foundBy: {
      fields: 'the last millisecond of a day and the first one of the next',
      slots: 'names that several runs use and lose are those of the other form',
    },
  },
  {
    fault: 'a lost name is reported in the next row',
    newCodec: () => ({
      newReader: lineCodec.newReader,
      fill(run, from, known, columns) {
        if (from === 0) known.beginLines(1, undefined)
        return lineCodec.fill(run, from, known, columns)
      },
    }),
    foundBy: {
      fields: 'a name is lost behind many rows',
      slots: 'names that several runs use and lose are those of the other form',
    },
  },
  {
    fault: 'a lost name is not reported',
    newCodec: () => ({
      newReader: lineCodec.newReader,
      fill(run, from, known, columns) {
        const row = lineCodec.fill(run, from, known, columns)
        known.beginRun()
        return row
      },
    }),
    foundBy: {
      fields: 'a name is lost in the first row',
      slots: 'names that several runs use and lose are those of the other form',
    },
  },
  {
    fault: 'the level of the first line holds for all',
    newCodec: () => fillWith(run => ({ ...run, sentLevels: withFirst(run.sentLevels) })),
    foundBy: {
      fields: 'levels and members of the service that differ from line to line',
      slots: 'levels and members of the service that differ from line to line',
    },
  },
  {
    fault: 'what the service knows of the first line holds for all',
    newCodec: () => fillWith(run => ({ ...run, own: withFirst(run.own) })),
    foundBy: {
      fields: 'levels and members of the service that differ from line to line',
      slots: 'levels and members of the service that differ from line to line',
    },
  },
  {
    fault: 'values are always exact',
    newCodec: () => fillWith(run => ({ ...run, isExact: true })),
    foundBy: {
      fields: 'nasty texts as before the fifth behaviour',
      slots: 'nasty texts as before the fifth behaviour',
    },
  },
  {
    fault: 'lines of earlier runs are removed',
    newCodec: () => ({
      newReader: lineCodec.newReader,
      fill(run, from, known, columns) {
        columns.clear()
        return lineCodec.fill(run, from, known, columns)
      },
    }),
    foundBy: {
      fields: 'accounts and days in turns',
      slots: 'a run in two parts gives the same result as in one',
    },
  },
  {
    fault: 'a row that falls back is appended',
    newCodec: () => ({
      newReader: lineCodec.newReader,
      fill(run, from, known, columns) {
        const row = lineCodec.fill(run, from, known, columns)
        return row === run.rows && from < row ? row - 1 : row
      },
    }),
    foundBy: { fields: 'programs', slots: 'programs' },
  },
]
