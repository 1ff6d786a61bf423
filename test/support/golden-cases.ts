import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Files of golden cases in test/data/golden. Each case contains its input, so an implementation in another language can use
 * them unchanged. LINE_CODEC=new adds the cases that a file does not have. To write a case again, remove it from its
 * file. LINE_CODEC=FILE writes all cases of one file again, which is right only when its form changes on purpose.
 */
const WRITTEN = process.env.LINE_CODEC

/**
 * Reads a file of golden cases.
 *
 * @param name  of the file, without its ending
 * @param cases  inputs that the file must have, in this order
 * @param written  makes the golden case of an input, by the complete rules
 */
export function goldenCases<
  Golden extends { readonly title: string },
  Case extends { readonly title: string },
>(name: string, cases: readonly Case[], written: (of: Case) => Golden): readonly Golden[] {
  const file = new URL(`../data/golden/${name}.json`, import.meta.url)
  const read = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Golden[]) : []
  if (WRITTEN !== 'new' && WRITTEN !== name) return read
  const known = new Map(WRITTEN === name ? [] : read.map(golden => [golden.title, golden]))
  const all = cases.map(each => known.get(each.title) ?? written(each))
  writeFileSync(file, `[\n${all.map(golden => JSON.stringify(golden)).join(',\n')}\n]\n`)
  return all
}
