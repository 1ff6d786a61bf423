import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { useState } from 'react'
import { type ViewRecord, views } from '../api/views.ts'
import { Menu } from '../shell/menu.tsx'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { type ViewAction, ViewDialog } from './view-dialog.tsx'
import { byCategory, differs, type ViewedSearch } from './view-state.ts'
import style from './views.module.css'

interface ViewsMenuProps {
  /** Id of the view that was opened last; null: none. */
  readonly opened: string | null
  readonly search: ViewedSearch
  readonly canWrite: boolean
  readonly onOpen: (view: ViewRecord) => void
  /** Called with the id of a view that was saved, or undefined when the opened one was deleted. */
  readonly onSaved: (id: string | undefined) => void
}

/** Saved searches: they can be opened, saved, replaced, renamed and deleted. */
export function ViewsMenu({ opened, search, canWrite, onOpen, onSaved }: ViewsMenuProps) {
  const [action, setAction] = useState<ViewAction>()
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['views'],
    queryFn: ({ signal }) => views(signal),
  })
  const view = data?.find(({ viewid }) => viewid === opened)
  const isChanged = view !== undefined && differs(view, search)
  return (
    <>
      <Menu
        label={view === undefined ? TEXT.views : `${TEXT.views}: ${view.name}`}
        align="end"
        className="button"
        button={
          <>
            <Bookmark size={15} aria-hidden />
            <span className={style.label} data-label>
              {view?.name ?? TEXT.views}
            </span>
            {isChanged && <span className={style.changed} title={TEXT.viewChanged} />}
          </>
        }
      >
        {close => (
          <div className={style.menu}>
            <Loading isLoading={isLoading} />
            {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
            {isChanged && <p className={style.note}>{TEXT.viewChanged}</p>}
            {data !== undefined && (
              <ViewList
                views={data}
                opened={opened}
                onOpen={each => {
                  onOpen(each)
                  close()
                }}
              />
            )}
            {canWrite && <Actions {...{ view, isChanged, close }} onChoose={setAction} />}
          </div>
        )}
      </Menu>
      {action !== undefined && (
        <ViewDialog
          action={action}
          search={search}
          onDone={id => {
            setAction(undefined)
            onSaved(id)
          }}
          onClose={() => setAction(undefined)}
        />
      )}
    </>
  )
}

function ViewList({
  views,
  opened,
  onOpen,
}: Pick<ViewsMenuProps, 'opened' | 'onOpen'> & { readonly views: readonly ViewRecord[] }) {
  if (views.length === 0) return <p className={style.note}>{TEXT.noViews}</p>
  return byCategory(views).map(({ category, views: all }) => (
    <section key={category}>
      {category !== '' && <h3>{category}</h3>}
      <ul>
        {all.map(each => (
          <li key={each.viewid}>
            <button
              type="button"
              className="quiet"
              aria-pressed={each.viewid === opened}
              onClick={() => onOpen(each)}
            >
              {each.name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  ))
}

/** Actions on the opened view, and on the search. */
function Actions({
  view,
  isChanged,
  ...item
}: {
  readonly view: ViewRecord | undefined
  readonly isChanged: boolean
  readonly onChoose: (action: ViewAction) => void
  readonly close: () => void
}) {
  return (
    <ul className={style.actions}>
      {view !== undefined && (
        <>
          {isChanged && <Item action="replace" view={view} {...item} />}
          <Item action="rename" view={view} {...item} />
          <Item action="delete" view={view} {...item} />
        </>
      )}
      <Item action="create" {...item} />
    </ul>
  )
}

function Item({
  action,
  view,
  onChoose,
  close,
}: {
  readonly action: ViewAction['kind']
  readonly view?: ViewRecord
  readonly onChoose: (action: ViewAction) => void
  readonly close: () => void
}) {
  return (
    <li>
      <button
        type="button"
        className="quiet"
        onClick={() => {
          close()
          onChoose({ kind: action, view } as ViewAction)
        }}
      >
        {TEXT.viewActions[action](view?.name ?? '')}
      </button>
    </li>
  )
}
