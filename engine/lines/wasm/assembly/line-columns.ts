import { copyBytes, writeLength } from './bytes'
import { CLOSING_BRACE, COMMA, OPENING_BRACE } from './characters'
import { isRetimed, OTHER, timeKind, timeMs, timeSourceEnd, timeSourceStart } from './line-times'
import {
  APPS,
  ENVS,
  FILES,
  HOSTS,
  LEVELS,
  LINE_BYTES,
  LINE_LIMIT_BYTES,
  LINES,
  MAX_LENGTH_BYTES,
  MAX_ROWS,
  META_BYTES,
  META_LIMIT_BYTES,
  METAS,
  RESTS,
  TIME_KINDS,
  TIMES,
} from './scan-layout'

/** Bytes behind a text that steps may overwrite. */
const STEP_BYTES: usize = 48

let rows: u32 = 0
let linesEnd: usize = LINES
let metasEnd: usize = METAS
let restsEnd: usize = RESTS
let retimed: u32 = 0

// The present line.
let lineEnd: usize = LINES
let metaEnd: usize = METAS
let host: u32 = 0
let app: u32 = 0
let level: u32 = 0
let env: u32 = 0
let file: u32 = 0

export function rowCount(): u32 {
  return rows
}

/** Bytes of the texts of lines, with their lengths. */
export function lineColumnBytes(): u32 {
  return <u32>(linesEnd - LINES)
}

/** Bytes of the texts of meta; 0: no line has meta. */
export function metaColumnBytes(): u32 {
  return <u32>(metasEnd - METAS)
}

/** Bytes of the texts of rare members; 0: no line has such a member. */
export function restColumnBytes(): u32 {
  return <u32>(restsEnd - RESTS)
}

/** Number of lines whose time was replaced by that of arrival. */
export function retimedCount(): u32 {
  return retimed
}

export function clearColumns(): void {
  rows = 0
  linesEnd = LINES
  metasEnd = METAS
  restsEnd = RESTS
  retimed = 0
}

/** Whether any line fits into the rest of the columns. */
export function fitsRow(): bool {
  return (
    rows < <u32>MAX_ROWS &&
    linesEnd + LINE_LIMIT_BYTES + MAX_LENGTH_BYTES + STEP_BYTES <= LINES + LINE_BYTES &&
    metasEnd + MAX_ROWS + META_LIMIT_BYTES + MAX_LENGTH_BYTES + STEP_BYTES <= METAS + META_BYTES
  )
}

export function beginRow(): void {
  lineEnd = linesEnd
  metaEnd = metasEnd
  host = 0
  app = 0
  level = 0
  env = 0
  file = 0
}

/** Place behind the texts of the lines before. */
export function lineColumnEnd(): usize {
  return linesEnd
}

/** @param end of the column behind the text of the present line */
export function setLine(end: usize): void {
  lineEnd = end
}

/** Adds meta of the present line as it was sent. */
export function setMeta(at: usize, end: usize): void {
  const length = end - at
  const to = writeLength(begunColumn(metasEnd, METAS), length)
  copyBytes(to, at, length)
  metaEnd = to + length
}

export function setHost(number: u32): void {
  host = number
}

export function setApp(number: u32): void {
  app = number
}

export function setLevel(number: u32): void {
  level = number
}

export function setEnv(number: u32): void {
  env = number
}

export function setFile(number: u32): void {
  file = number
}

/** @param isCut whether the text is only the beginning of the sent one */
export function endRow(isCut: bool): void {
  linesEnd = lineEnd
  if (metaEnd !== metasEnd) metasEnd = metaEnd
  else if (metasEnd !== METAS) store<u8>(metasEnd++, 0)
  addRest(isCut)
  const place = (<usize>rows) << 2
  store<u32>(HOSTS + place, host)
  store<u32>(APPS + place, app)
  store<u32>(LEVELS + place, level)
  store<u32>(ENVS + place, env)
  store<u32>(FILES + place, file)
  store<f64>(TIMES + (place << 1), timeMs())
  store<u8>(TIME_KINDS + <usize>rows, timeKind())
  rows++
}

/** Place for the next text. Nothing is written for lines without one before the first line that has one. */
function begunColumn(end: usize, start: usize): usize {
  if (end !== start) return end
  memory.fill(start, 0, rows)
  return start + rows
}

// The names of rare members, in the order of rest-text.ts.
/** `"timestamp":` */
const TIMESTAMP_MEMBER = memory.data<u8>([34, 116, 105, 109, 101, 115, 116, 97, 109, 112, 34, 58])
const TIMESTAMP_MEMBER_BYTES: usize = 12
/** `"clamped":true` */
const CLAMPED_MEMBER = memory.data<u8>([34, 99, 108, 97, 109, 112, 101, 100, 34, 58, 116, 114, 117, 101])
const CLAMPED_MEMBER_BYTES: usize = 14
/** `"truncated":true` */
const CUT_MEMBER = memory.data<u8>([
  34, 116, 114, 117, 110, 99, 97, 116, 101, 100, 34, 58, 116, 114, 117, 101,
])
const CUT_MEMBER_BYTES: usize = 16

function addRest(isCut: bool): void {
  const hasTime = timeKind() === OTHER
  if (!hasTime && !isCut) {
    if (restsEnd !== RESTS) store<u8>(restsEnd++, 0)
    return
  }
  const column = begunColumn(restsEnd, RESTS)
  // It is shorter than 128 bytes, so its length has one.
  const start = column + 1
  let at = start
  if (hasTime) {
    at = member(at, start, TIMESTAMP_MEMBER, TIMESTAMP_MEMBER_BYTES)
    const bytes = timeSourceEnd() - timeSourceStart()
    copyBytes(at, timeSourceStart(), bytes)
    at += bytes
    if (isRetimed()) {
      at = member(at, start, CLAMPED_MEMBER, CLAMPED_MEMBER_BYTES)
      retimed++
    }
  }
  if (isCut) at = member(at, start, CUT_MEMBER, CUT_MEMBER_BYTES)
  store<u8>(at++, CLOSING_BRACE)
  store<u8>(column, <u8>(at - start))
  restsEnd = at
}

function member(at: usize, start: usize, name: usize, bytes: usize): usize {
  store<u8>(at, at === start ? OPENING_BRACE : COMMA)
  copyBytes(at + 1, name, bytes)
  return at + 1 + bytes
}
