import { foreignForm } from '../../engine/query-language/foreign-forms.ts'
import { CommandError, EXIT } from './command-error.ts'

/**
 * Reads a search query that a person typed.
 *
 * @throws CommandError for a form of another query language, which would only find its own characters
 */
export function readQuery(text: string): string {
  const foreign = foreignForm(text)
  if (foreign === undefined) return text
  const { form, remedy } = foreign
  throw new CommandError(
    EXIT.usage,
    `The query language does not have "${form}". ${remedy}. In quotes it is text: '"${form}"'.`,
  )
}
