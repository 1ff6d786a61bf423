import { Eye, EyeOff } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { type Caller, signIn } from '../api/session.ts'
import { TEXT } from '../texts.ts'
import style from './sign-in.module.css'

/** The field for the token. A refused token stays, so that it can be corrected. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn: (caller: Caller) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState('')

  useEffect(() => field.current?.focus(), [])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = field.current?.value.trim() ?? ''
    if (token === '') return setRefusal(TEXT.tokenMissing)
    const stay = new FormData(event.currentTarget).has('stay')
    setBusy(true)
    setRefusal('')
    try {
      onSignedIn(await signIn({ token, stay }))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setRefusal(error.message)
      field.current?.focus()
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <label htmlFor={id}>{TEXT.token}</label>
      <div className={style.token}>
        <input
          ref={field}
          id={id}
          className="field"
          type={isShown ? 'text' : 'password'}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={refusal !== ''}
          aria-describedby={`${id}-refusal`}
        />
        <button
          type="button"
          className="quiet icon"
          aria-label={TEXT.showToken}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
        </button>
      </div>
      <p className={style.refusal} id={`${id}-refusal`} role="alert">
        {refusal}
      </p>
      <label className={style.stay}>
        <input type="checkbox" name="stay" />
        {TEXT.stay}
      </label>
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? TEXT.signingIn : TEXT.signIn}
      </button>
    </form>
  )
}
