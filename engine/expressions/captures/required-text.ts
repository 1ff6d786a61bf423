import type { ExpressionTree } from '../expression-tree.ts'

/** A longer text would not be found faster. */
const MAX_LENGTH = 16

/** Longest text that each match of an expression contains; '' when none is known. */
export function requiredText(tree: ExpressionTree): string {
  const texts = new RequiredTexts()
  texts.read(tree)
  return texts.longest
}

/** Reads an expression from left to right, and joins characters that always follow each other. */
class RequiredTexts {
  longest = ''
  #present = ''

  read(tree: ExpressionTree): void {
    switch (tree.kind) {
      case 'set':
        this.#readCharacter(tree.set.onlyCharacter())
        return
      case 'edge':
        // An edge has no width.
        return
      case 'group':
        this.read(tree.of)
        return
      case 'sequence':
        for (const part of tree.parts) this.read(part)
        return
      case 'choice':
        this.#present = ''
        return
      case 'repeat':
        this.#present = ''
        if (tree.least > 0) this.read(tree.of)
        if (tree.least !== 1 || tree.most !== 1) this.#present = ''
    }
  }

  #readCharacter(codePoint: number | undefined): void {
    if (codePoint === undefined) {
      this.#present = ''
      return
    }
    this.#present += String.fromCodePoint(codePoint)
    if (this.#present.length > this.longest.length) this.longest = this.#present.slice(0, MAX_LENGTH)
    if (this.#present.length >= MAX_LENGTH) this.#present = ''
  }
}
