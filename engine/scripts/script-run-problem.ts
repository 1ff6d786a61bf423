import type { Steps } from '../steps.ts'
import { compilingScript } from './compile-script.ts'
import { placeOf, ScriptProblem, type TextPlace } from './script-problem.ts'

/** A problem of a script, with its place. */
export interface PlacedProblem extends TextPlace {
  readonly message: string
}

/** Maximum number of characters of the texts whose findings are remembered: more than a draft may have. */
const MAX_REMEMBERED_CHARACTERS = 4_194_304
/** Characters that a text counts for beyond its own, because each entry takes memory. */
const ENTRY_CHARACTERS = 256

/** Findings about texts, those first that were not asked for the longest. A draft is checked often, and few of its scripts change. */
const remembered = new Map<string, PlacedProblem | undefined>()
let rememberedCharacters = 0

/** Finds the first reason why a text cannot run, in steps; undefined: it can. */
export function* scriptRunProblem(text: string): Steps<PlacedProblem | undefined> {
  const isKnown = remembered.has(text)
  const problem = isKnown ? remembered.get(text) : yield* findingProblem(text)
  remember(text, problem)
  return problem
}

function* findingProblem(text: string): Steps<PlacedProblem | undefined> {
  try {
    yield* compilingScript(text)
    return undefined
  } catch (error) {
    if (!(error instanceof ScriptProblem)) throw error
    return { message: error.message, ...placeOf(text, error.at) }
  }
}

function remember(text: string, problem: PlacedProblem | undefined): void {
  if (!remembered.delete(text)) rememberedCharacters += text.length + ENTRY_CHARACTERS
  remembered.set(text, problem)
  for (const oldest of remembered.keys()) {
    if (rememberedCharacters <= MAX_REMEMBERED_CHARACTERS) return
    remembered.delete(oldest)
    rememberedCharacters -= oldest.length + ENTRY_CHARACTERS
  }
}
