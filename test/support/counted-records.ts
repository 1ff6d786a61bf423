import { UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { SearchedRecord } from '../../engine/query-language/evaluate.ts'
import type { ValueCounts } from '../../engine/store/search/line-counts.ts'
import type { JsonObject } from '../../schemas/json.ts'

/** Different values of a field, as texts. */
export function valuesOf(record: JsonObject, field: string): string[] {
  const found = new SearchedRecord(record).field(field, UNMETERED)
  const digits = [...found.texts, ...found.bigIntegers]
  const numbers = found.numbers.filter(value => Math.abs(value) < 2 ** 53 || digits.length === 0)
  const isWord = ['app', 'host', 'level', 'file', 'env'].includes(field)
  return [...new Set([...digits, ...numbers.map(String)])].filter(value => !isWord || value !== '')
}

/** Answer that `countByValue` of a store gives for these records. */
export function valueCounts(records: readonly JsonObject[], field: string): ValueCounts {
  const counted = new Map<string, number>()
  const values = records.map(record => valuesOf(record, field))
  for (const value of values.flat()) counted.set(value, (counted.get(value) ?? 0) + 1)
  return {
    lines: records.length,
    absent: values.filter(({ length }) => length === 0).length,
    values: [...counted].sort((a, b) => b[1] - a[1] || Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]))),
    distinct: counted.size,
    valueLines: values.flat().length,
  }
}
