import type { CategoryType } from '../../../schemas/http/account/category.ts'
import { simpleLowerCase } from '../../expressions/lower-case.ts'
import type { ConfigurationView } from '../kind.ts'
import { defineKind } from '../kind.ts'

/** A name that groups views, boards or screens. Key: ten hexadecimal digits. */
export interface Category {
  readonly account: string
  readonly type: CategoryType
  readonly name: string
  readonly createdAtMs: number
}

/** Names are unique per type, case-insensitive. */
export const categories = defineKind<Category>('category', {
  account: ({ account }) => account,
  isUserSized: true,
  unique: { name: nameText },
})

/** @returns the id of the category of that name, case-insensitive */
export function categoryNamed(
  view: ConfigurationView,
  category: Pick<Category, 'account' | 'type' | 'name'>,
): string | undefined {
  return view.find(categories, 'name', nameText(category))?.id
}

/** Present names of categories. A view or board keeps the id of a removed category, which is then skipped here. */
export function categoryNames(view: ConfigurationView, ids: readonly string[]): string[] {
  return ids.flatMap(id => view.get(categories, id)?.value.name ?? [])
}

function nameText({ account, type, name }: Pick<Category, 'account' | 'type' | 'name'>): string {
  return `${account}/${type}/${simpleLowerCase(name)}`
}
