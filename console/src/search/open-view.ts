import { useCallback } from 'react'
import { keep, keptValue } from '../api/kept.ts'
import { LISTS } from '../api/searches.ts'
import type { ViewRecord } from '../api/views.ts'
import { type AddressChange, columnsText, type SearchAddress } from './search-address.ts'

/** Columns and range of a view, which the server does not keep. */
interface ViewExtras {
  readonly cols?: string | undefined
  readonly from?: string | undefined
}

const nameOf = (viewId: string) => `view ${viewId}`

/** Opens views, and keeps the columns and the relative range of those that are saved. */
export function useOpenView(address: SearchAddress, search: (change: AddressChange) => void) {
  const open = useCallback(
    async ({ viewid, query, ...view }: ViewRecord) => {
      const extras = await keptValue<ViewExtras>(nameOf(viewid))
      const lists = Object.fromEntries(LISTS.map(name => [name, view[name].join(',')]))
      search({
        ...{ q: query, ...lists, off: undefined, view: viewid },
        ...(extras !== undefined && { cols: extras.cols, from: extras.from, to: undefined }),
      })
    },
    [search],
  )
  const saved = useCallback(
    (viewId: string | undefined) => {
      const { columns, from, to } = address
      if (viewId !== undefined)
        void keep(nameOf(viewId), {
          cols: columnsText(columns),
          ...(to === 'now' && { from }),
        } satisfies ViewExtras)
      search({ view: viewId })
    },
    [address, search],
  )
  return { open, saved }
}
