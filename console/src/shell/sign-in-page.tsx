import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { Problem } from '../api/problem.ts'
import { type Caller, signIn } from '../api/session.ts'
import { TEXT } from '../texts.ts'
import { Logo } from './logo.tsx'
import style from './sign-in.module.css'
import { SignInForm } from './sign-in-form.tsx'
import { Loading } from './states.tsx'

/** `/console/sign-in`: afterwards the page opens that one wanted to see. */
export function SignInPage() {
  const [, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const queries = useQueryClient()
  const enter = (caller: Caller) => {
    queries.clear()
    queries.setQueryData(['caller'], caller)
    navigate(pageIn(parameters.get('to')), { replace: true })
  }
  const { isBusy, refusal } = useLinkCode(enter)
  return (
    <main className={style.page}>
      <div className={style.card}>
        <Loading isLoading={isBusy} />
        <Logo size={36} />
        <h1>{TEXT.signInTo}</h1>
        {refusal !== undefined && (
          <p className={style.refusal} role="alert">
            {refusal}
          </p>
        )}
        <SignInForm onSignedIn={enter} />
        <details className={style.where}>
          <summary>{TEXT.whereToken}</summary>
          <p>{TEXT.whereTokenFirst}</p>
          <pre>npx weir credentials</pre>
          <p>{TEXT.whereTokenLink}</p>
          <pre>npx weir console</pre>
          <p>{TEXT.whereTokenMore}</p>
          <pre>npx weir token create NAME</pre>
        </details>
      </div>
      <p className={style.about}>
        {TEXT.version(__WEIR_VERSION__)}
        {' \u00b7 '}
        <a href="/console/licences.txt">{TEXT.licences}</a>
      </p>
    </main>
  )
}

let sentCode = ''

/** Signs in with the code that a sign-in link has in its fragment, and takes it out of the address and the history. */
function useLinkCode(onSignedIn: (caller: Caller) => void) {
  const [code] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('code'))
  const [isBusy, setBusy] = useState(code !== null)
  const [refusal, setRefusal] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is sent once
  useEffect(() => {
    if (code === null || code === sentCode) return
    sentCode = code
    window.history.replaceState(null, '', window.location.pathname + window.location.search)
    signIn({ code })
      .then(onSignedIn)
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        setRefusal(error.message)
      })
      .finally(() => setBusy(false))
  }, [code])
  return { isBusy, refusal }
}

/** A page of the console; anything else would lead to another site. */
function pageIn(wanted: string | null): string {
  return wanted !== null && /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/sign-in') ? wanted : '/search'
}
