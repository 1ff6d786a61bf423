/** Names that were typed one in a row, without blanks around them and without repetitions. */
export function typedNames(text: string): string[] {
  return [
    ...new Set(
      text
        .split('\n')
        .map(each => each.trim())
        .filter(each => each !== ''),
    ),
  ]
}
