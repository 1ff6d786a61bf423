import { APP_LIMIT_CHARACTERS, HOST_LIMIT_CHARACTERS, LEVEL_LIMIT_CHARACTERS } from '../line-limits.ts'
import { matches } from './json-bytes.ts'

/** Longer words must be cut or are rare, and the complete parser handles both. */
const WORD_LIMIT_BYTES = 4096

/** Members of a line as bits, so that a repeated one is noticed. */
export const LINE = 1
export const TIMESTAMP = 2
export const APP = 4
export const LEVEL = 8
export const ENV = 16
export const META = 32
export const FILE = 64
export const HOST = 128
export const HOSTNAME = 256

const LINE_KEY = Buffer.from('line"')
const TIMESTAMP_KEY = Buffer.from('timestamp"')
const APP_KEY = Buffer.from('app"')
const LEVEL_KEY = Buffer.from('level"')
const ENV_KEY = Buffer.from('env"')
const META_KEY = Buffer.from('meta"')
const FILE_KEY = Buffer.from('file"')
const HOST_KEY = Buffer.from('host"')
const HOSTNAME_KEY = Buffer.from('hostname"')

/** @returns the member whose name begins here, after its quote; 0 for any other name */
export function memberAt(body: Buffer, at: number): number {
  switch (body[at]) {
    case 0x6c: // l
      return matches(body, at, LINE_KEY) ? LINE : matches(body, at, LEVEL_KEY) ? LEVEL : 0
    case 0x74: // t
      return matches(body, at, TIMESTAMP_KEY) ? TIMESTAMP : 0
    case 0x61: // a
      return matches(body, at, APP_KEY) ? APP : 0
    case 0x65: // e
      return matches(body, at, ENV_KEY) ? ENV : 0
    case 0x6d: // m
      return matches(body, at, META_KEY) ? META : 0
    case 0x66: // f
      return matches(body, at, FILE_KEY) ? FILE : 0
    case 0x68: // h
      return matches(body, at, HOST_KEY) ? HOST : matches(body, at, HOSTNAME_KEY) ? HOSTNAME : 0
    default:
      return 0
  }
}

/** Bytes of a member's name with its closing quote, plus the opening one. */
export function keyBytes(member: number): number {
  switch (member) {
    case LINE:
      return LINE_KEY.length + 1
    case TIMESTAMP:
      return TIMESTAMP_KEY.length + 1
    case APP:
      return APP_KEY.length + 1
    case LEVEL:
      return LEVEL_KEY.length + 1
    case ENV:
      return ENV_KEY.length + 1
    case META:
      return META_KEY.length + 1
    case FILE:
      return FILE_KEY.length + 1
    case HOST:
      return HOST_KEY.length + 1
    default:
      return HOSTNAME_KEY.length + 1
  }
}

/** Limit of a word in bytes: a word within it never has too many characters. */
export function wordLimit(member: number): number {
  if (member === APP) return APP_LIMIT_CHARACTERS
  if (member === LEVEL) return LEVEL_LIMIT_CHARACTERS
  return member === HOST || member === HOSTNAME ? HOST_LIMIT_CHARACTERS : WORD_LIMIT_BYTES
}
