import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** Something a program asked the system to do with files, or printed. */
export type FileCall =
  | { readonly type: 'folder-created'; readonly path: string }
  /** A file was opened with the right to create it. */
  | { readonly type: 'file-opened'; readonly path: string; readonly isEmptied: boolean }
  | { readonly type: 'socket-created'; readonly path: string }
  | { readonly type: 'symlink-created'; readonly path: string; readonly target: string }
  | { readonly type: 'linked'; readonly from: string; readonly path: string }
  | { readonly type: 'renamed' | 'exchanged'; readonly from: string; readonly path: string }
  | { readonly type: 'removed'; readonly path: string }
  /** A call without a position appends the bytes. */
  | { readonly type: 'written'; readonly path: string; readonly bytes: Buffer; readonly position?: number }
  | { readonly type: 'resized'; readonly path: string; readonly bytes: number }
  /** The system begins to make a file or folder durable; `sync-ended` of the same thread says that it is. */
  | { readonly type: 'sync-began'; readonly path: string; readonly thread: string }
  | { readonly type: 'sync-ended'; readonly thread: string }
  | { readonly type: 'printed'; readonly text: string }

const FOLLOWED = [
  'open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate',
  'mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat',
  'bind,fsync,fdatasync',
  // A program that uses these is not understood, so its recording is refused.
  'copy_file_range,sendfile,splice,fallocate,io_uring_register,msync,sync,syncfs,sync_file_range',
].join(',')

/** Larger than any single write of the recorded programs; a longer string would be cut by strace, and is refused. */
const MAX_STRING_BYTES = 64 * 1024 * 1024

/** Arguments of strace that run a command and record its file operations. */
export function recording(file: string, command: readonly string[]): string[] {
  const quietly = [
    '-f',
    '-y',
    '-qqq',
    '--seccomp-bpf',
    '-a',
    '1',
    '-e',
    'signal=none',
    '-s',
    String(MAX_STRING_BYTES),
  ]
  return [...quietly, '-e', `trace=${FOLLOWED}`, '-o', file, ...command]
}

/** Reads a recording in the order in which calls ended. @throws Error for a call that cannot be replayed */
export async function* recordedCalls(file: string): AsyncGenerator<FileCall> {
  const unfinished = new Map<string, string>()
  /** Files that were opened so that each write to them is durable when it returns. */
  const durable = new Set<string>()
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) as unknown as [string, string, string]
    if (rest.endsWith(UNFINISHED)) {
      const begun = rest.slice(0, -UNFINISHED.length)
      unfinished.set(thread, begun)
      const path = syncedPath(begun)
      if (path !== undefined) yield { type: 'sync-began', path, thread }
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest)
    const whole = resumed === null ? rest : `${unfinished.get(thread)}${rest.slice(resumed[0].length)}`
    unfinished.delete(thread)
    const call = parsed(whole)
    if (call === undefined) continue
    const path = syncedPath(whole)
    if (path === undefined) {
      if (/^open/.test(call.name) && call.args.some(argument => /\bO_D?SYNC\b/.test(argument)))
        durable.add(call.resultPath)
      for (const meaning of meaningOf(call)) {
        yield meaning
        if (meaning.type !== 'written' || !durable.has(meaning.path)) continue
        yield { type: 'sync-began', path: meaning.path, thread }
        yield { type: 'sync-ended', thread }
      }
    } else {
      if (resumed === null) yield { type: 'sync-began', path, thread }
      if (call.result === 0) yield { type: 'sync-ended', thread }
    }
  }
}

const UNFINISHED = ' <unfinished ...>'

interface Call {
  readonly name: string
  readonly args: readonly string[]
  /** Negative when it failed. */
  readonly result: number
  /** Path of the descriptor that it returned. */
  readonly resultPath: string
}

function parsed(text: string): Call | undefined {
  const open = text.indexOf('(')
  const end = text.lastIndexOf(') = ')
  // A thread that was killed within a call has no result: it counts as not done.
  if (open < 0 || end < 0) return undefined
  const result = text.slice(end + 4)
  return {
    name: text.slice(0, open),
    args: splitArguments(text.slice(open + 1, end)),
    result: Number.parseInt(result, 10),
    resultPath: descriptorPath(result),
  }
}

function syncedPath(text: string): string | undefined {
  return /^f(?:data)?sync\(/.test(text) ? descriptorPath(text) : undefined
}

function* meaningOf({ name, args, result, resultPath }: Call): Generator<FileCall> {
  if (!(result >= 0)) return
  const [first = '', second = '', third = '', fourth = ''] = args
  switch (name) {
    case 'open':
    case 'openat':
      if (/O_CREAT|O_TRUNC/.test(`${second}${third}`))
        yield { type: 'file-opened', path: resultPath, isEmptied: /O_TRUNC/.test(`${second}${third}`) }
      return
    case 'write':
    case 'writev':
      if (/^1</.test(first)) yield { type: 'printed', text: bytesOf(second).toString() }
      else yield { type: 'written', path: descriptorPath(first), bytes: bytesOf(second).subarray(0, result) }
      return
    case 'pwrite64':
    case 'pwritev':
    case 'pwritev2':
      yield {
        type: 'written',
        path: descriptorPath(first),
        bytes: bytesOf(second).subarray(0, result),
        position: Number(fourth),
      }
      return
    case 'ftruncate':
      yield { type: 'resized', path: descriptorPath(first), bytes: Number(second) }
      return
    case 'bind':
      if (second.includes('sun_path="')) yield { type: 'socket-created', path: pathOf(second) }
      return
    case 'mkdir':
      yield { type: 'folder-created', path: pathOf(first) }
      return
    case 'mkdirat':
      yield { type: 'folder-created', path: pathOf(second, first) }
      return
    case 'rmdir':
    case 'unlink':
      yield { type: 'removed', path: pathOf(first) }
      return
    case 'unlinkat':
      yield { type: 'removed', path: pathOf(second, first) }
      return
    case 'rename':
      yield { type: 'renamed', from: pathOf(first), path: pathOf(second) }
      return
    case 'renameat':
    case 'renameat2':
      yield {
        type: /RENAME_EXCHANGE/.test(args[4] ?? '') ? 'exchanged' : 'renamed',
        from: pathOf(second, first),
        path: pathOf(fourth, third),
      }
      return
    case 'link':
      yield { type: 'linked', from: pathOf(first), path: pathOf(second) }
      return
    case 'linkat':
      yield { type: 'linked', from: pathOf(second, first), path: pathOf(fourth, third) }
      return
    case 'symlink':
      yield { type: 'symlink-created', target: pathText(first), path: pathOf(second) }
      return
    case 'symlinkat':
      yield { type: 'symlink-created', target: pathText(first), path: pathOf(third, second) }
      return
    default:
      throw new Error(`the call ${name} is not followed`)
  }
}

/** Path in an argument; relative ones begin at the folder that another argument names. */
function pathOf(text: string, folder = ''): string {
  return resolve(descriptorPath(folder), pathText(text))
}

function pathText(text: string): string {
  return bytesOf(text).toString()
}

/**
 * Path in `12</a/path>` or `AT_FDCWD</a/path>`; empty for a descriptor without a path, and for a file that has lost its
 * names.
 */
function descriptorPath(text: string): string {
  const start = text.indexOf('<')
  const end = text.indexOf('>', start)
  if (start < 0 || end < 0 || text.startsWith('(deleted)', end + 1)) return ''
  return unescaped(text.slice(start + 1, end)).toString()
}

/** Bytes of all strings in an argument, one after another: of one text, or of the pieces of a `writev`. */
function bytesOf(text: string): Buffer {
  const pieces: Buffer[] = []
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start)
    if (text.startsWith('...', end + 1)) throw new Error('the recording has cut a write short')
    pieces.push(unescaped(text.slice(start + 1, end)))
    start = text.indexOf('"', end + 1)
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
}

/** Place of the quotation mark that ends the string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  throw new Error('the recording ends within a string')
}

/** Splits at commas outside of strings and brackets. */
function splitArguments(text: string): string[] {
  const found: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (character === '"') at = endOfString(text, at)
    else if ('[{<'.includes(character)) depth++
    else if (']}>'.includes(character)) depth--
    else if (character === ',' && depth === 0) {
      found.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  found.push(text.slice(from).trim())
  return found
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 }

/** Bytes of a string printed by strace, which uses the escapes of C. */
function unescaped(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      bytes[length++] = text.charCodeAt(at)
      continue
    }
    const next = text[++at] as string
    const known = ESCAPES[next]
    if (known !== undefined) {
      bytes[length++] = known
      continue
    }
    const digits = /^[0-7]{1,3}/.exec(text.slice(at, at + 3))?.[0]
    if (digits === undefined) throw new Error(`the escape \\${next} is not known`)
    bytes[length++] = Number.parseInt(digits, 8)
    at += digits.length - 1
  }
  return bytes.subarray(0, length)
}
