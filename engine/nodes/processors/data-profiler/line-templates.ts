/**
 * Drain: the constants of components, section 5.3. The depth counts the root and the leaves, so lines are told apart by the number of
 * their tokens and by the first ones.
 */
const DEPTH = 6
const TOKENS_ON_THE_WAY = DEPTH - 3
const MAX_CHILDREN = 40
const SIMILARITY = 0.5
const MAX_TEMPLATES = 1_000
const MAX_SAMPLES = 5
/** Stands for tokens that differ. */
const ANY = '<*>'

/** Part of a line that is compared, in UTF-16 units. (Our choice.) */
const COMPARED_LENGTH = 1_024
/** Length of a kept sample, in UTF-16 units. (Our choice.) */
const SAMPLE_LENGTH = 512
/** Apps that a template keeps. (Our choice.) */
const MAX_APPS = 20

const DIGIT = /\d/
const BLANKS = /\s+/

/** Cluster of lines with one template. */
export interface LineTemplate {
  /** Templates are numbered in the order in which they were made. */
  readonly number: number
  /** Tokens that lead to its leaf, after their number. */
  readonly way: readonly string[]
  tokens: readonly string[]
  lines: number
  bytes: number
  readonly apps: Set<string>
  readonly samples: string[]
}

/** Node of the tree; a leaf has templates, in the order of their numbers. */
class Branch {
  readonly children = new Map<string, Branch>()
  readonly templates: LineTemplate[] = []
}

/** A line with its tokens. */
export interface SplitLine {
  readonly text: string
  readonly tokens: readonly string[]
}

export function splitLine(text: string): SplitLine {
  const tokens = cutText(text, COMPARED_LENGTH)
    .split(BLANKS)
    .filter(token => token !== '')
  return { text, tokens }
}

/**
 * Templates of the lines that were met, by the algorithm Drain. Beyond the bound, the template whose last line was longest ago is
 * forgotten, with its way in the tree.
 */
export class LineTemplates {
  readonly #root = new Branch()
  /** Templates by number; the one whose last line was longest ago is first. */
  readonly #templates = new Map<number, LineTemplate>()
  readonly #maxTemplates: number
  #made = 0

  /** @param maxTemplates bound on the templates; more than a thousand are never kept */
  constructor(maxTemplates: number) {
    this.#maxTemplates = Math.min(maxTemplates, MAX_TEMPLATES)
  }

  get size(): number {
    return this.#templates.size
  }

  /** Number of tokens that are compared to find the template of a line. */
  comparisonsFor({ tokens }: SplitLine): number {
    return tokens.length * (1 + (this.#leafOf(tokens)?.templates.length ?? 0))
  }

  add({ text, tokens }: SplitLine, bytes: number, app: string | undefined): void {
    const found = closest(this.#leafOf(tokens)?.templates ?? [], tokens)
    const template = found ?? this.#make(tokens)
    if (found !== undefined) {
      if (found.tokens.some((token, place) => token !== tokens[place] && token !== ANY))
        found.tokens = found.tokens.map((token, place) => (token === tokens[place] ? token : ANY))
      this.#templates.delete(found.number)
      this.#templates.set(found.number, found)
    }
    template.lines++
    template.bytes += bytes
    noteIn(template, app, text)
  }

  /** The templates; the one whose last line was longest ago is first. */
  *[Symbol.iterator](): Generator<LineTemplate> {
    yield* this.#templates.values()
  }

  /** Number of templates that were made so far. */
  get made(): number {
    return this.#made
  }

  /** Puts back a template of a snapshot. @param made number of templates that were made until then */
  put(template: LineTemplate, made: number): void {
    this.#made = Math.max(this.#made, made)
    // Two memories that were made apart may use one number.
    const known = this.#templates.has(template.number)
    const placed = known ? { ...template, number: ++this.#made } : template
    this.#place(placed)
  }

  #make(tokens: readonly string[]): LineTemplate {
    const template: LineTemplate = {
      number: ++this.#made,
      way: this.#newWay(tokens),
      tokens,
      lines: 0,
      bytes: 0,
      apps: new Set(),
      samples: [],
    }
    this.#place(template)
    return template
  }

  #place(template: LineTemplate): void {
    let branch = childOf(this.#root, String(template.tokens.length))
    for (const key of template.way) branch = childOf(branch, key)
    const { templates } = branch
    const place = templates.findIndex(({ number }) => number > template.number)
    templates.splice(place === -1 ? templates.length : place, 0, template)
    this.#templates.set(template.number, template)
    const [oldest] = this.#templates.values()
    if (this.#templates.size > this.#maxTemplates && oldest !== undefined) this.#forget(oldest)
  }

  #forget(template: LineTemplate): void {
    this.#templates.delete(template.number)
    const keys = [String(template.tokens.length), ...template.way]
    const branches = [this.#root]
    for (const key of keys) {
      const child = branches.at(-1)?.children.get(key)
      if (child !== undefined) branches.push(child)
    }
    const { templates } = branches.at(-1) as Branch
    templates.splice(templates.indexOf(template), 1)
    for (let at = keys.length; at > 0; at--) {
      const { children, templates } = branches[at] as Branch
      if (children.size > 0 || templates.length > 0) return
      branches[at - 1]?.children.delete(keys[at - 1] as string)
    }
  }

  /** The leaf to which the tokens of a line lead. */
  #leafOf(tokens: readonly string[]): Branch | undefined {
    let branch = this.#root.children.get(String(tokens.length))
    for (let at = 0; at < tokensOnTheWay(tokens) && branch !== undefined; at++)
      branch = branch.children.get(tokens[at] as string) ?? branch.children.get(ANY)
    return branch
  }

  /** The way to the leaf of a new template. */
  #newWay(tokens: readonly string[]): string[] {
    const way: string[] = []
    let branch = this.#root.children.get(String(tokens.length))
    for (let at = 0; at < tokensOnTheWay(tokens); at++) {
      const key = newKey(branch?.children ?? new Map(), tokens[at] as string)
      way.push(key)
      branch = branch?.children.get(key)
    }
    return way
  }
}

/** The last token never leads on its own. */
function tokensOnTheWay(tokens: readonly string[]): number {
  return Math.max(0, Math.min(TOKENS_ON_THE_WAY, tokens.length - 1))
}

/** Key of the child for a token: tokens with digits, and those beyond the last free place, have one in common. */
function newKey(children: ReadonlyMap<string, Branch>, token: string): string {
  if (children.has(token)) return token
  if (DIGIT.test(token)) return ANY
  const places = children.has(ANY) ? MAX_CHILDREN : MAX_CHILDREN - 1
  return children.size < places ? token : ANY
}

function childOf({ children }: Branch, key: string): Branch {
  let child = children.get(key)
  if (child === undefined) {
    child = new Branch()
    children.set(key, child)
  }
  return child
}

/** The template with the most equal tokens, if enough are equal. Of two, the one with more differing tokens counts. */
function closest(templates: readonly LineTemplate[], tokens: readonly string[]): LineTemplate | undefined {
  let best: LineTemplate | undefined
  let bestEqual = -1
  let bestOpen = -1
  for (const template of templates) {
    let equal = 0
    let open = 0
    for (const [place, token] of template.tokens.entries()) {
      if (token === ANY) open++
      else if (token === tokens[place]) equal++
    }
    if (equal < bestEqual || (equal === bestEqual && open <= bestOpen)) continue
    best = template
    bestEqual = equal
    bestOpen = open
  }
  // All lines without a token are alike.
  return bestEqual >= SIMILARITY * tokens.length ? best : undefined
}

function noteIn({ apps, samples }: LineTemplate, app: string | undefined, line: string): void {
  if (app !== undefined && apps.size < MAX_APPS) apps.add(app)
  if (samples.length < MAX_SAMPLES) samples.push(cutText(line, SAMPLE_LENGTH))
}

/** The beginning of a text, of at most so many UTF-16 units, without half a character. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const isHalf = (text.codePointAt(maxLength - 1) as number) > 0xffff
  return text.slice(0, isHalf ? maxLength - 1 : maxLength)
}
