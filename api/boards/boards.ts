import { type Board, boards } from '../../engine/configuration/kinds/boards.ts'
import { categoryNames } from '../../engine/configuration/kinds/categories.ts'
import { newShortId } from '../../engine/configuration/mint.ts'
import type { BoardGraph, BoardRecord, BoardWrite } from '../../schemas/http/board.ts'
import type { Caller } from '../auth/caller.ts'
import { categoryIds } from '../categories/category-names.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import type { Resource } from '../configuration/resource-routes.ts'

/** Pages of graphs (configuration and account API, section 12). */
export class Boards implements Resource<BoardWrite, BoardRecord> {
  readonly #entities: OwnedEntities<Board>
  readonly #ports: ConfigurationPorts

  constructor(ports: ConfigurationPorts) {
    this.#entities = new OwnedEntities(boards, ports)
    this.#ports = ports
  }

  list(caller: Caller): BoardRecord[] {
    return this.#entities.list(caller).map(board => this.#record(board))
  }

  get(caller: Caller, id: string): BoardRecord {
    return this.#record(this.#entities.get(caller, id))
  }

  /** @throws ApiError 400 when it names a category that does not exist, as does `replace` */
  async create(caller: Caller, write: BoardWrite): Promise<BoardRecord> {
    const createdAtMs = this.#ports.clock.wallMs()
    const make = (account: string) => ({ account, ...this.#written(account, write), createdAtMs })
    return this.#record(await this.#entities.create(caller, make))
  }

  async replace(caller: Caller, id: string, write: BoardWrite): Promise<BoardRecord> {
    const edit = ({ account, createdAtMs }: Board) => ({
      account,
      ...this.#written(account, write),
      createdAtMs,
    })
    return this.#record(await this.#entities.replace(caller, id, edit))
  }

  remove(caller: Caller, id: string): Promise<void> {
    return this.#entities.remove(caller, id)
  }

  #written(account: string, write: BoardWrite): Omit<Board, 'account' | 'createdAtMs'> {
    const { configuration } = this.#ports
    return {
      title: write.title,
      graphs: (write.graphs ?? []).map(graph => this.#graph(graph)),
      order: write.order ?? [],
      categories: categoryIds(configuration, account, 'boards', write.category),
    }
  }

  #graph(write: NonNullable<BoardWrite['graphs']>[number]): BoardGraph {
    const graphid = write.graphid ?? newShortId(this.#ports.entropy)
    return { ...write, graphid, type: write.type ?? 'line' }
  }

  #record({ id, value }: Owned<Board>): BoardRecord {
    return {
      boardid: id,
      account: value.account,
      title: value.title,
      graphs: [...value.graphs],
      order: [...value.order],
      category: categoryNames(this.#ports.configuration, value.categories),
    }
  }
}
