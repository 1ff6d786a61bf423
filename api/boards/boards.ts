import { type Board, boards } from '../../engine/configuration/kinds/boards.ts'
import { categoryNames } from '../../engine/configuration/kinds/categories.ts'
import { newShortId } from '../../engine/configuration/mint.ts'
import type { BoardGraph, BoardRecord, BoardWrite } from '../../schemas/http/account/board.ts'
import { categoryIds } from '../categories/category-names.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import type { Resource } from '../configuration/resource-routes.ts'
import { writtenResource } from '../configuration/written-resource.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/** Pages of graphs (configuration and account API, section 12). */
export function boardResource(ports: Ports): Resource<BoardWrite, BoardRecord> {
  const { configuration, entropy } = ports
  const graphOf = (write: NonNullable<BoardWrite['graphs']>[number]): BoardGraph => {
    const graphid = write.graphid ?? newShortId(entropy)
    return { ...write, graphid, type: write.type ?? 'line' }
  }
  return writtenResource<Board, BoardWrite, BoardRecord>(boards, ports, {
    value: (kept, { title, graphs = [], order = [], category }) => ({
      ...kept,
      title,
      graphs: graphs.map(graphOf),
      order,
      categories: categoryIds(configuration, kept.account, 'boards', category),
    }),
    record: ({ id, value }) => ({
      boardid: id,
      account: value.account,
      title: value.title,
      graphs: [...value.graphs],
      order: [...value.order],
      category: categoryNames(configuration, value.categories),
    }),
  })
}
