import { factsText, type LineFacts, tagsText } from '../slots/line-facts.ts'
import type { StoredLine } from '../stored-line/stored-line.ts'
import { WordColumn } from './word-columns.ts'

/** Columns `facts` and `tag_list`. Their words are composed again only when they change. */
export class FactsColumns {
  readonly facts = new WordColumn()
  readonly tagList = new WordColumn()
  #last: LineFacts | undefined
  #factsText = ''
  #tags: readonly string[] = []
  #tagsText = ''

  append(line: StoredLine): void {
    this.appendRepeated(line, 1)
  }

  /** @param line the members of all of the rows */
  appendRepeated({ file, env, mac, ip, remoteAddress: remote, tags }: StoredLine, rows: number): void {
    const last = this.#last
    const isSame =
      last !== undefined &&
      last.remote === remote &&
      last.file === file &&
      last.ip === ip &&
      last.env === env &&
      last.mac === mac
    if (!isSame) {
      this.#last = { file, env, mac, ip, remote }
      this.#factsText = factsText(this.#last)
    }
    if (tags !== this.#tags && !haveSameWords(tags, this.#tags)) {
      this.#tags = tags.slice()
      this.#tagsText = tagsText(tags)
    }
    this.facts.appendRepeated(this.#factsText, rows)
    this.tagList.appendRepeated(this.#tagsText, rows)
  }
}

function haveSameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index])
}
