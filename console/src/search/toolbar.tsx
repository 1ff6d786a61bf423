import { ArrowDownNarrowWide, ArrowUpNarrowWide, CircleHelp, ListFilter, Radio, WrapText } from 'lucide-react'
import type { ReactNode } from 'react'
import { isRefusedQuery } from '../api/problem.ts'
import type { Selection } from '../api/searches.ts'
import { IconButton } from '../components/icon-button.tsx'
import { QueryField } from '../query/query-field.tsx'
import { TimeRange } from '../shell/time-range.tsx'
import { TEXT } from '../texts.ts'
import { isRelative } from '../times/time.ts'
import style from './search.module.css'
import type { AddressChange, SearchAddress } from './search-address.ts'
import { ShareMenu } from './share-menu.tsx'

const ICON = 16

interface ToolbarProps {
  readonly address: SearchAddress
  readonly selection: Selection
  readonly zone: string
  readonly error: unknown
  /** Address of the request that answers the same. */
  readonly command: string
  readonly onRun: (query: string) => void
  readonly onRange: (from: string, to: string) => void
  readonly onChange: (change: AddressChange) => void
  readonly showsFacets: boolean
  readonly onFacets: () => void
  /** Opens the search for a missing line; undefined if the caller has no right to ask. */
  readonly onMissing: (() => void) | undefined
  readonly views: ReactNode
}

/** Query, time range, and actions on the lines. */
export function Toolbar(props: ToolbarProps) {
  const { address, selection, zone, error, command, onRun, onRange, onChange, views } = props
  const { isLive, isWrapped } = address
  const isNewest = address.order === 'newest'
  const OrderIcon = isNewest ? ArrowDownNarrowWide : ArrowUpNarrowWide
  return (
    <div className={style.toolbar}>
      <QueryField
        query={address.query}
        selection={selection}
        isRefused={isRefusedQuery(error)}
        onRun={onRun}
      />
      <div className={style.tools}>
        <button
          type="button"
          className={`quiet icon ${style.facetButton}`}
          aria-label={TEXT.filters}
          aria-pressed={props.showsFacets}
          onClick={props.onFacets}
        >
          <ListFilter size={ICON} aria-hidden />
        </button>
        <TimeRange
          from={address.from}
          to={address.to}
          zone={zone}
          fromMs={selection.fromMs}
          toMs={selection.toMs}
          onChoose={onRange}
        />
        <button
          type="button"
          className={`button ${style.live}`}
          aria-pressed={isLive}
          title={`${TEXT.live} (l)`}
          onClick={() => onChange({ live: isLive ? undefined : 'on' })}
        >
          <Radio size={15} aria-hidden />
          <span>{TEXT.live}</span>
        </button>
        {views}
        {!isLive && (
          <IconButton
            label={isNewest ? TEXT.newest : TEXT.oldest}
            onClick={() => onChange({ order: isNewest ? 'oldest' : undefined })}
          >
            <OrderIcon size={ICON} aria-hidden />
          </IconButton>
        )}
        <IconButton
          label={TEXT.wrap}
          isPressed={isWrapped}
          onClick={() => onChange({ wrap: isWrapped ? undefined : 'on' })}
        >
          <WrapText size={ICON} aria-hidden />
        </IconButton>
        {props.onMissing !== undefined && (
          <IconButton label={TEXT.whyMissing} onClick={props.onMissing}>
            <CircleHelp size={ICON} aria-hidden />
          </IconButton>
        )}
        <ShareMenu
          selection={selection}
          isRelative={isRelative(address.from) || isRelative(address.to)}
          command={command}
        />
      </div>
    </div>
  )
}
