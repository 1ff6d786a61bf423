import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { categoryNamed } from '../../engine/configuration/kinds/categories.ts'
import type { CategoryType } from '../../schemas/http/account/category.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Ids of the categories that a view or a board names, each once.
 *
 * @throws ApiError 400 naming all that do not exist
 */
export function categoryIds(
  configuration: ConfigurationView,
  account: string,
  type: CategoryType,
  names: readonly string[] = [],
): string[] {
  const found = names.map(name => ({ name, id: categoryNamed(configuration, { account, type, name }) }))
  const unknown = found.filter(({ id }) => id === undefined).map(({ name }) => name)
  if (unknown.length > 0)
    throw new ApiError(400, 'BadRequest', `Invalid category name(s): ${unknown.join(', ')}`)
  return [...new Set(found.flatMap(({ id }) => id ?? []))]
}
