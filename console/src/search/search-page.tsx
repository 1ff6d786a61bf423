import { useMemo, useState } from 'react'
import { searchAddress } from '../api/searches.ts'
import { type Caller, canWrite } from '../api/session.ts'
import { isLine } from '../lines/rows.ts'
import { setPreferences, usePreferences } from '../shell/preferences.ts'
import { TailPanel } from '../tail/tail-panel.tsx'
import { TEXT } from '../texts.ts'
import { ViewsMenu } from '../views/views-menu.tsx'
import { MissingDialog } from '../why/missing-dialog.tsx'
import { Chips } from './chips.tsx'
import { Details } from './details.tsx'
import { Facets } from './facets.tsx'
import { FirstLines, useIsFirst } from './first-lines.tsx'
import { GoToTime } from './go-to-time.tsx'
import { HistogramPanel } from './histogram.tsx'
import { type OpenSearch, useOpenSearch } from './open-search.ts'
import { useOpenView } from './open-view.ts'
import { Results } from './results.tsx'
import style from './search.module.css'
import { useSearchKeys } from './search-keys.ts'
import { Toolbar } from './toolbar.tsx'

/** Width below which the left column covers the lines, and opens by a button. */
const NARROW = window.matchMedia('(max-width: 760px)')

/** `/console/search` */
export function SearchPage({ caller }: { readonly caller: Caller }) {
  const page = useOpenSearch()
  const { address, change, selection, listed, zone, found, actions } = page
  const [showsFacets, setShowsFacets] = useState(false)
  const { search } = actions
  const hasLine = address.line !== null
  const canAskWhy = canWrite(caller) && !caller.limited
  const { hasLeft } = usePreferences()
  const onLeft = () => (NARROW.matches ? setShowsFacets(!showsFacets) : setPreferences({ hasLeft: !hasLeft }))
  useSearchKeys({ address, change, search, selection, hasLine, canAsk: canAskWhy, onLeft })

  const isEmpty = !address.isLive && found.lines.length === 0 && !found.isLoading && found.error === null
  const isFirst = useIsFirst(isEmpty, search)
  const askMissing = canAskWhy ? () => change({ ask: 'missing' }) : undefined
  return (
    <div className={style.page} data-details={hasLine} data-facets={showsFacets} data-left={hasLeft}>
      <h1 className="hidden">{TEXT.search}</h1>
      <Toolbar
        address={address}
        selection={selection}
        zone={zone}
        error={found.error}
        command={searchAddress(listed, address.order)}
        onRun={query => search({ q: query })}
        onRange={(from, to) => search({ from, to, live: undefined })}
        onChange={change}
        showsFacets={showsFacets}
        onFacets={() => setShowsFacets(!showsFacets)}
        onMissing={askMissing}
        views={<Views page={page} canWrite={canWrite(caller)} />}
      />
      <Chips address={address} onSwitch={actions.switchFilter} onRemove={actions.removeFilter} />
      {isFirst ? (
        <FirstLines caller={caller} />
      ) : (
        <div className={style.columns}>
          <Facets
            selection={selection}
            zone={zone}
            columns={address.columns}
            onColumns={actions.setColumns}
            onNarrow={actions.narrow}
            onTake={actions.toggle}
            onTerm={actions.addTerm}
          />
          <div className={style.middle}>
            <Lines page={page} mayAskWhy={canAskWhy} onMissing={askMissing} />
          </div>
          <OpenLine page={page} mayAskWhy={canAskWhy} />
        </div>
      )}
      {address.asks === 'time' && (
        <GoToTime
          selection={selection}
          zone={zone}
          onGo={atMs => actions.goTo(atMs, selection)}
          onClose={() => change({ ask: undefined })}
        />
      )}
      {address.asks === 'missing' && canAskWhy && (
        <MissingDialog
          query={address.query}
          from={address.from}
          to={address.to}
          zone={zone}
          onClose={() => change({ ask: undefined })}
        />
      )}
    </div>
  )
}

/** Saved searches, of which one may be open. */
function Views({ page, canWrite }: { readonly page: OpenSearch; readonly canWrite: boolean }) {
  const { address, actions } = page
  const views = useOpenView(address, actions.search)
  return (
    <ViewsMenu
      opened={address.view}
      search={{ query: address.query, lists: address.lists }}
      canWrite={canWrite}
      onOpen={views.open}
      onSaved={views.saved}
    />
  )
}

const TAB_KEYS = { c: 'context', w: 'why' } as const

/** The live tail, or the found lines below their counts over time. */
function Lines({
  page,
  mayAskWhy,
  onMissing,
}: {
  readonly page: OpenSearch
  readonly mayAskWhy: boolean
  readonly onMissing: (() => void) | undefined
}) {
  const { address, selection, listed, zone, found, tail, words, actions } = page
  const { search } = actions
  const list = {
    selected: address.line,
    columns: address.columns,
    isWrapped: address.isWrapped,
    zone,
    words,
    tabKeys: mayAskWhy ? TAB_KEYS : { c: TAB_KEYS.c },
    onOpen: actions.open,
    onColumns: actions.setColumns,
  }
  if (address.isLive) return <TailPanel tail={tail} {...list} />
  return (
    <>
      <HistogramPanel
        {...{ selection, zone }}
        by={address.by}
        order={address.order}
        atMs={address.atMs}
        onNarrow={actions.narrow}
        onGo={atMs => actions.goTo(atMs, selection)}
        onTake={actions.toggle}
      />
      <Results
        found={found}
        selection={listed}
        address={address}
        list={list}
        onStart={actions.goToStart}
        onMore={page.readMore}
        onReleased={page.readAgain}
        onCancel={page.cancel}
        onRepeat={page.repeat}
        onSearch={search}
        onMissing={onMissing}
      />
    </>
  )
}

/** The details of the open line, if there is one. */
function OpenLine({ page, mayAskWhy }: { readonly page: OpenSearch; readonly mayAskWhy: boolean }) {
  const { address, change, zone, rows, words, actions } = page
  const { line: id } = address
  const line = useMemo(() => rows.filter(isLine).find(each => each.id === id), [rows, id])
  if (id === null) return null
  const step = (by: number) => {
    const at = rows.findIndex(each => each?.id === id)
    const row = at === -1 ? undefined : rows[at + by]
    if (isLine(row)) actions.open(row.id)
  }
  return (
    <Details
      id={id}
      line={line}
      tab={address.tab}
      zone={zone}
      columns={address.columns}
      words={words}
      mayAskWhy={mayAskWhy}
      onTab={tab => change({ open: tab === 'fields' ? undefined : tab }, { replaces: true })}
      onLine={actions.open}
      onStep={step}
      onTerm={actions.addTerm}
      onColumns={actions.setColumns}
      onClose={() => change({ line: undefined, open: undefined })}
    />
  )
}
