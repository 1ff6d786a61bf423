import { fillAll, type LineCodec, type LineRun } from '../../engine/lines/line-codec.ts'
import type { LineColumns } from '../../engine/lines/native-block/line-block.ts'
import { nativeBlock } from '../../engine/lines/native-block/native-block.ts'
import type { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { CODEC_NOW_MS, type RunCase } from './codec-cases.ts'

/** Lines of one run, as a golden file has them. */
export interface GoldenLines {
  readonly timeMs: number
  readonly isExact: boolean
  /** `text` is base64. */
  readonly lines: readonly { readonly text: string; readonly sentLevel: string; readonly own: number }[]
}

/** Columns that follow from the texts of lines. */
export interface FilledBlock {
  /** Values of ROW_FORM. */
  readonly forms: readonly number[]
  /** Base64 of a Native block of the columns. */
  readonly block: string
}

/** Places that the texts of a run have within its bytes. A codec must not notice the difference. */
export interface Layout {
  readonly title: string
  /** Bytes of the run with `starts` and `ends` of the texts. */
  place(texts: readonly Buffer[]): Pick<LineRun, 'bytes' | 'starts' | 'ends'>
}

export const ONE_AFTER_ANOTHER: Layout = { title: 'one after another', place: texts => placed(texts, []) }

/** They have other bytes between texts, texts in another order, and two rows with one text. */
export const LAYOUTS: readonly Layout[] = [
  { title: 'behind other bytes', place: texts => placed(texts, [Buffer.from('{"before":1}')]) },
  {
    title: 'with parts of JSON between them',
    place: texts =>
      placed(
        texts,
        ['', '"', '}', ',"gap":1}', '{"gap":2}', '\n'].map(gap => Buffer.from(gap)),
      ),
  },
  {
    title: 'from the last to the first',
    place: texts => {
      const { bytes, starts, ends } = placed(texts.toReversed(), [Buffer.from(','), Buffer.from('')])
      return { bytes, starts: starts.toReversed(), ends: ends.toReversed() }
    },
  },
  { title: 'with one place for rows of the same text', place: shared },
]

function placed(texts: readonly Buffer[], gaps: readonly Buffer[]) {
  const parts: Buffer[] = []
  const starts: number[] = []
  const ends: number[] = []
  let end = 0
  for (const [row, text] of texts.entries()) {
    const gap = gaps[row % gaps.length] ?? Buffer.alloc(0)
    parts.push(gap, text)
    starts.push(end + gap.length)
    end += gap.length + text.length
    ends.push(end)
  }
  return { bytes: Buffer.concat(parts), starts, ends }
}

function shared(texts: readonly Buffer[]) {
  const different = [...new Map(texts.map(text => [text.toString('latin1'), text])).values()]
  const { bytes, starts, ends } = placed(different, [])
  const places = texts.map(text => different.findIndex(each => each.equals(text)))
  return { bytes, starts: places.map(at => starts[at] ?? 0), ends: places.map(at => ends[at] ?? 0) }
}

export function runOf({ lines, timeMs, isExact }: GoldenLines, { place } = ONE_AFTER_ANOTHER): LineRun {
  return {
    account: 'account',
    rows: lines.length,
    ...place(lines.map(({ text }) => Buffer.from(text, 'base64'))),
    sentLevels: lines.map(({ sentLevel }) => sentLevel),
    // The words in SLOT_CASES have this app.
    apps: lines.map(() => 'a'),
    own: lines.map(({ own }) => own),
    timeMs,
    isExact,
  }
}

/** @param parts rows of the first of two calls; a single call when left out */
export function fillParts(
  codec: LineCodec,
  run: LineRun,
  names: FieldNames,
  columns: LineColumns,
  parts?: number,
): void {
  if (parts !== undefined) fillAll(codec, { ...run, rows: parts }, names, columns)
  fillAll(codec, run, names, columns, parts)
}

export function blockOf(columns: LineColumns): FilledBlock {
  const forms = [...columns.forms]
  return {
    forms,
    block: Buffer.concat(nativeBlock(columns.named(), columns.rows)).toString('base64'),
  }
}

/** Base64 of a snapshot of the names. */
export function snapshotOf(names: FieldNames): string {
  return Buffer.from(names.snapshot()).toString('base64')
}

/** Lines of a case; a level or a sum of own members that is a list holds for the rows in turn. */
export function linesOf({
  lines,
  sentLevel = '',
  own = 0,
  isExact = true,
  timeMs = CODEC_NOW_MS,
}: Omit<RunCase, 'title'>): GoldenLines {
  const levels = [sentLevel].flat()
  const owned = [own].flat()
  return {
    timeMs,
    isExact,
    lines: lines.map((text, row) => ({
      text: Buffer.from(text).toString('base64'),
      sentLevel: levels[row % levels.length] as string,
      own: owned[row % owned.length] as number,
    })),
  }
}
