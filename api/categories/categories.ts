import { type Category, categories } from '../../engine/configuration/kinds/categories.ts'
import type { CategoryRecord, CategoryType, CategoryWrite } from '../../schemas/http/account/category.ts'
import type { Caller } from '../auth/caller.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import { notFound } from '../http/errors.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/** Names that group views, boards and screens. Every method sees those of one type only. */
export class Categories {
  readonly #entities: OwnedEntities<Category>
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#entities = new OwnedEntities(categories, ports)
    this.#ports = ports
  }

  /** Returns the categories of a type, oldest first. */
  list(caller: Caller, type: CategoryType): CategoryRecord[] {
    const all = this.#entities.list(caller)
    return all.filter(({ value }) => value.type === type).map(categoryRecord)
  }

  get(caller: Caller, type: CategoryType, id: string): CategoryRecord {
    const category = this.#entities.get(caller, id)
    assertType(category.value, type)
    return categoryRecord(category)
  }

  /** @throws ConfigurationRejected TAKEN when the name exists, as does `rename` */
  async create(caller: Caller, type: CategoryType, { name }: CategoryWrite): Promise<CategoryRecord> {
    const createdAtMs = this.#ports.clock.wallMs()
    const category = await this.#entities.create(caller, account => ({ account, type, name, createdAtMs }))
    return categoryRecord(category)
  }

  async rename(
    caller: Caller,
    type: CategoryType,
    id: string,
    { name }: CategoryWrite,
  ): Promise<CategoryRecord> {
    const category = await this.#entities.replace(caller, id, before => {
      assertType(before, type)
      return { ...before, name }
    })
    return categoryRecord(category)
  }

  async remove(caller: Caller, type: CategoryType, id: string): Promise<void> {
    assertType(this.#entities.get(caller, id).value, type)
    await this.#entities.remove(caller, id)
  }
}

/** A category of another type is not found: clients determine the type of a category by asking for each type. */
function assertType(category: Category, type: CategoryType): void {
  if (category.type !== type) throw notFound()
}

function categoryRecord({ id, value: { type, name } }: Owned<Category>): CategoryRecord {
  return { id, type, name }
}
