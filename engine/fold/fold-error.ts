/**
 * Error for a record or checkpoint that this program must not process. The message explains to the operator how to
 * proceed.
 */
export class FoldError extends Error {
  override readonly name = 'FoldError'
}
