import { Search } from 'lucide-react'
import { useId } from 'react'
import { TEXT } from '../texts.ts'
import type { Completion } from './completions.ts'
import style from './query-field.module.css'
import { readQuery } from './read-query.ts'
import { type SearchedQuery, useTypedQuery } from './typed-query.ts'

const MAX_CHARACTERS = 8_000

interface QueryFieldProps extends SearchedQuery {
  /** Whether the server refused the query of the address. */
  readonly isRefused: boolean
}

/** The query, with completion and with errors at their place. */
export function QueryField(props: QueryFieldProps) {
  const { field, typed, chosen, isFocused, completions, run, take, handlers } = useTypedQuery(props)
  const id = useId()
  const { trouble, meaning } = readQuery(typed)
  const isInvalid = props.isRefused || trouble !== undefined
  const isListed = completions.length > 0
  return (
    <search className={style.search}>
      <form
        className={style.form}
        onSubmit={event => {
          event.preventDefault()
          run()
        }}
      >
        <Search size={16} aria-hidden />
        <div className={style.field} data-invalid={isInvalid}>
          <Backdrop text={typed} position={trouble?.position} />
          <textarea
            ref={field}
            rows={1}
            aria-label={TEXT.query}
            placeholder={TEXT.queryHint}
            value={typed}
            maxLength={MAX_CHARACTERS}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            aria-invalid={isInvalid}
            aria-autocomplete="list"
            aria-controls={`${id}-list`}
            aria-activedescendant={isListed && chosen >= 0 ? `${id}-${chosen}` : undefined}
            aria-describedby={`${id}-note`}
            {...handlers}
          />
        </div>
        <button type="submit" className="primary">
          {TEXT.run}
        </button>
      </form>
      <div
        className={style.panel}
        hidden={!isFocused || (!isListed && trouble === undefined && meaning === undefined)}
      >
        <CompletionList id={id} completions={completions} chosen={chosen} onTake={take} />
        <p id={`${id}-note`} aria-live="polite">
          {trouble !== undefined && <span className={style.trouble}>{trouble.message}</span>}
          {meaning !== undefined && (
            <>
              {TEXT.readAs} <code>{meaning}</code>
            </>
          )}
        </p>
      </div>
    </search>
  )
}

function CompletionList({
  id,
  completions,
  chosen,
  onTake,
}: {
  /** Id of the field. */
  readonly id: string
  readonly completions: readonly Completion[]
  readonly chosen: number
  readonly onTake: (completion: Completion) => void
}) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label={TEXT.completions} hidden={completions.length === 0}>
      {completions.map((each, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <div
          key={each.text + each.insert}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          tabIndex={-1}
          // The field keeps the focus.
          onMouseDown={event => event.preventDefault()}
          onClick={() => onTake(each)}
        >
          <span>{each.text}</span>
          <small>{each.note}</small>
        </div>
      ))}
    </div>
  )
}

/** The text behind the field, with a mark at the faulty character. */
function Backdrop({ text, position }: { readonly text: string; readonly position: number | undefined }) {
  if (position === undefined) return null
  return (
    <div className={style.backdrop} aria-hidden>
      {text.slice(0, position)}
      <mark>{text.slice(position, position + 1).trim() || '\u00a0'}</mark>
      {text.slice(position + 1)}
    </div>
  )
}
