import type { CategoryType } from '../../../schemas/http/category.ts'
import { simpleLowerCase } from '../../expressions/lower-case.ts'
import type { ConfigurationView } from '../kind.ts'
import { defineKind } from '../kind.ts'

/** A name to group views, boards or screens by. Key: ten hexadecimal digits. */
export interface Category {
  readonly account: string
  readonly type: CategoryType
  readonly name: string
  readonly createdAtMs: number
}

/** No two of one type have the same name, in whatever case. */
export const categories = defineKind<Category>('category', {
  account: ({ account }) => account,
  unique: { name: nameText },
})

/** @returns the id of the category of that name, in whatever case */
export function categoryNamed(
  view: ConfigurationView,
  category: Pick<Category, 'account' | 'type' | 'name'>,
): string | undefined {
  return view.find(categories, 'name', nameText(category))?.id
}

/** Names as they are now. What a view or a board names stays named when it is deleted: it is just not there any more. */
export function categoryNames(view: ConfigurationView, ids: readonly string[]): string[] {
  return ids.flatMap(id => view.get(categories, id)?.value.name ?? [])
}

function nameText({ account, type, name }: Pick<Category, 'account' | 'type' | 'name'>): string {
  return `${account}/${type}/${simpleLowerCase(name)}`
}
