import type { JsonObject } from '../../../../schemas/json.ts'
import type { Problem } from '../../../event/problem.ts'
import { canonicalTimeOf } from '../../../times/instant.ts'
import { compileTimeFormat } from '../../../times/time-format.ts'
import { timeFormatText, unreadableFormatProblems } from '../../options/time-format-option.ts'

export const ACCESS_LOG_TIME = '%d/%b/%Y:%T %z'
export const NGINX_ERROR_LOG_TIME = '%Y/%m/%d %H:%M:%S'
/** Members of the options of logs of HTTP servers. */
export const LOG_TIME = { format: 'timestamp_format', custom: 'custom_timestamp_format' } as const

/** Reads a time and gives its canonical form; undefined when it has another form. */
export type ReadTime = (text: string, nowMs: number) => string | undefined

/** The last answer is kept, because lines that follow each other often have the same time. */
export function timeReader(format: string): ReadTime {
  const { read } = compileTimeFormat(format)
  let [lastText, lastNowMs] = ['', Number.NaN]
  let last: string | undefined
  return (text, nowMs) => {
    if (text === lastText && nowMs === lastNowMs) return last
    const instant = read(text, nowMs)
    last = instant && canonicalTimeOf(instant)
    lastText = text
    lastNowMs = nowMs
    return last
  }
}

/** @param fallback format when the options name none */
export function logTimeReader(options: JsonObject, fallback: string): ReadTime {
  return timeReader(timeFormatText(options, LOG_TIME) ?? fallback)
}

export function logTimeProblems(options: JsonObject): Problem[] {
  return unreadableFormatProblems(options, LOG_TIME)
}
