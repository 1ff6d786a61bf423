import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { Problem } from './api/problem.ts'
import { listenToSessionEnd } from './api/request.ts'
import { type Caller, isAdministrator, readCaller } from './api/session.ts'
import { SearchPage } from './search/search-page.tsx'
import { Frame } from './shell/frame.tsx'
import { SessionDialog } from './shell/session-dialog.tsx'
import { SignInPage } from './shell/sign-in-page.tsx'
import { Empty, Loading, ProblemBox } from './shell/states.tsx'
import { TEXT } from './texts.ts'
import { UsagePage } from './usage/usage-page.tsx'

/** Pages that most visits do not need are loaded when they are opened. */
const AccountsPage = lazy(() => import('./accounts/accounts-page.tsx'))
const PipelinesPage = lazy(() => import('./pipelines/pipelines-page.tsx'))
const PipelinePage = lazy(() => import('./pipelines/page/pipeline-page.tsx'))
const ErrorsPage = lazy(() => import('./trouble/errors-page.tsx'))
const AuditPage = lazy(() => import('./audit/audit-page.tsx'))
const SystemPage = lazy(() => import('./system/system-page.tsx'))
const ThrottlesPage = lazy(() => import('./throttles/throttles-page.tsx'))
const RulesPage = lazy(() => import('./rules/rules-page.tsx'))
const AccessPage = lazy(() => import('./access/access-page.tsx'))
const LettersPage = lazy(() => import('./trouble/letters-page.tsx'))

export function App() {
  return (
    <Switch>
      <Route path="/sign-in" component={SignInPage} />
      <Route component={SignedIn} />
    </Switch>
  )
}

/** Pages for those who are signed in; others are led to the sign-in and back. */
function SignedIn() {
  const [location, navigate] = useLocation()
  const queries = useQueryClient()
  const { data: caller, error, isLoading, refetch } = useQuery({ queryKey: ['caller'], queryFn: readCaller })
  const [hasEnded, setEnded] = useState(false)
  useEffect(() => listenToSessionEnd(() => setEnded(true)), [])
  if (caller === undefined) {
    if (error instanceof Problem && error.status === 401) {
      const to = `${location}${window.location.search}`
      return <Redirect to={`/sign-in?to=${encodeURIComponent(to)}`} replace />
    }
    if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />
    return <Loading isLoading={isLoading} />
  }
  const leave = () => {
    queries.clear()
    navigate('/sign-in')
  }
  return (
    <>
      <Frame caller={caller} onSignedOut={leave}>
        <Suspense fallback={<Loading isLoading />}>
          {caller.account === null ? <EnterprisePages caller={caller} /> : <Pages caller={caller} />}
        </Suspense>
      </Frame>
      {hasEnded && (
        <SessionDialog
          caller={caller}
          onSignedIn={() => setEnded(false)}
          onOther={() => navigate('/', { replace: true })}
        />
      )}
    </>
  )
}

/** Pages of an enterprise token that acts for none of its accounts. */
function EnterprisePages({ caller }: { readonly caller: Caller }) {
  return (
    <Switch>
      <Route path="/access">
        <AccessPage caller={caller} />
      </Route>
      {isAdministrator(caller) && (
        <Route path="/audit">
          <AuditPage caller={caller} />
        </Route>
      )}
      {isAdministrator(caller) && (
        <Route path="/system">
          <SystemPage caller={caller} />
        </Route>
      )}
      <Route>
        <AccountsPage caller={caller} />
      </Route>
    </Switch>
  )
}

function Pages({ caller }: { readonly caller: Caller }) {
  const first = caller.features.store ? '/search' : '/pipelines'
  return (
    <Switch>
      <Route path="/">
        <Redirect to={first} replace />
      </Route>
      <Route path="/search">
        <SearchPage caller={caller} />
      </Route>
      <Route path="/usage">
        <UsagePage caller={caller} />
      </Route>
      <Route path="/pipelines">
        <PipelinesPage caller={caller} />
      </Route>
      <Route path="/errors">
        <ErrorsPage />
      </Route>
      <Route path="/dead-letters">
        <LettersPage caller={caller} />
      </Route>
      <Route path="/throttles">
        <ThrottlesPage caller={caller} />
      </Route>
      <Route path="/rules">
        <RulesPage />
      </Route>
      <Route path="/access">
        <AccessPage caller={caller} />
      </Route>
      <Route path="/audit">
        <AuditPage caller={caller} />
      </Route>
      <Route path="/system">
        <SystemPage caller={caller} />
      </Route>
      <Route path="/pipelines/:id">{({ id }) => <PipelinePage key={id} id={id} caller={caller} />}</Route>
      <Route>
        <Empty
          title={TEXT.notFound}
          isPage
          action={
            <a className="button" href="/console/">
              {TEXT.toSearch}
            </a>
          }
        />
      </Route>
    </Switch>
  )
}
