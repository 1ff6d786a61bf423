import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type Caller, nameOf } from '../api/session.ts'
import { TEXT } from '../texts.ts'
import style from './sign-in.module.css'
import { SignInForm } from './sign-in-form.tsx'

/**
 * Sign-in over a page whose session has ended. The page goes on where it was, unless somebody signs in to another account,
 * which the page and its drafts do not belong to.
 */
export function SessionDialog({
  caller,
  onSignedIn,
  onOther,
}: {
  /** The one whose session has ended. */
  readonly caller: Caller
  readonly onSignedIn: () => void
  /** Called instead for a token of another account. */
  readonly onOther: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const queries = useQueryClient()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className={style.dialog}
      aria-labelledby="session-title"
      aria-describedby="session-about"
      onCancel={event => event.preventDefault()}
    >
      <h2 id="session-title">{TEXT.sessionEnded}</h2>
      <div id="session-about">
        <p>
          <b>{caller.account === null ? nameOf(caller) : TEXT.sessionOf(nameOf(caller), caller.account)}</b>
        </p>
        <p className="soft">{TEXT.signInAgain}</p>
      </div>
      <SignInForm
        onSignedIn={next => {
          dialog.current?.close()
          onSignedIn()
          if (isOther(caller, next)) {
            queries.clear()
            queries.setQueryData(['caller'], next)
            onOther()
            return
          }
          queries.setQueryData(['caller'], next)
          void queries.invalidateQueries()
        }}
      />
    </dialog>
  )
}

/** Whether two callers belong to different accounts. A token of an enterprise may act for all of its accounts. */
function isOther(before: Caller, next: Caller): boolean {
  return before.account !== null && next.account !== null && before.account !== next.account
}
