import {
  Building2,
  ChartNoAxesColumn,
  Gauge,
  History,
  ListFilter,
  LogOut,
  type LucideIcon,
  MailX,
  Search,
  Server,
  Settings2,
  TriangleAlert,
  Users,
  Workflow,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { forgetAll } from '../api/kept.ts'
import { type Caller, canWrite, isAdministrator, nameOf, revoke, signOut } from '../api/session.ts'
import { TEXT } from '../texts.ts'
import { browserZone, isZone } from '../times/time.ts'
import style from './frame.module.css'
import type { NamedPage } from './go-anywhere.tsx'
import { Keys } from './keys-dialog.tsx'
import { Logo } from './logo.tsx'
import { Menu } from './menu.tsx'
import { setPreferences, type Theme, usePreferences } from './preferences.ts'
import { ServerBanner } from './server-banner.tsx'

const ICON = 17

/** A page of the navigation, with its icon. */
interface NavigationPage extends NamedPage {
  readonly icon: LucideIcon
}

/** Pages of the navigation, for those who can read lines and pipelines. */
const PAGES = [
  { path: '/search', name: TEXT.search, icon: Search },
  { path: '/usage', name: TEXT.usage, icon: ChartNoAxesColumn },
  { path: '/pipelines', name: TEXT.pipelines, icon: Workflow },
  { path: '/throttles', name: TEXT.throttles, icon: Gauge },
  { path: '/errors', name: TEXT.errors, icon: TriangleAlert },
  { path: '/dead-letters', name: TEXT.deadLetters, icon: MailX },
] as const
/** Access tokens of everybody; administrators see members, groups and keys, too. */
const ACCESS = { path: '/access', name: TEXT.peopleAndKeys, icon: Users } as const
/** Pages of administrators. */
const ADMINISTRATION = [
  { path: '/rules', name: TEXT.rules, icon: ListFilter },
  ACCESS,
  { path: '/audit', name: TEXT.audit, icon: History },
  { path: '/system', name: TEXT.system, icon: Server },
] as const

/** Navigation beside the page. */
export function Frame({
  caller,
  onSignedOut,
  children,
}: {
  readonly caller: Caller
  readonly onSignedOut: () => void
  readonly children: ReactNode
}) {
  const [location] = useLocation()
  const [showsKeys, setShowsKeys] = useState(false)
  const isInAccount = caller.account !== null
  const readable = pagesOf(caller)
  return (
    <div className={style.frame}>
      <a className={style.skip} href="#content">
        {TEXT.skip}
      </a>
      <header className={style.side}>
        <div className={style.brand}>
          <Logo size={24} />
          <span>{TEXT.product}</span>
        </div>
        <nav aria-label={TEXT.navigation}>
          <ul className={style.pages}>
            {caller.type === 'enterprise' && !isInAccount && (
              <AccountsLink isHere={!readable.some(({ path }) => location.startsWith(path))} />
            )}
            {readable.map(({ path, name, icon: Icon }) => (
              <li key={path}>
                <Link href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
                  <Icon size={ICON} aria-hidden />
                  <span>{name}</span>
                </Link>
              </li>
            ))}
            {caller.type === 'enterprise' && isInAccount && <AccountsLink isHere={false} />}
          </ul>
        </nav>
        <div className={style.foot}>
          <Settings onKeys={() => setShowsKeys(true)} />
          <AccountMenu caller={caller} onSignedOut={onSignedOut} />
        </div>
      </header>
      <Keys
        isOpen={showsKeys}
        pages={readable}
        isInAccount={isInAccount}
        hasViews={isInAccount && caller.features.store}
        onOpen={setShowsKeys}
      />
      <div className={style.main}>
        <ServerBanner />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  )
}

/** Way to the accounts of an enterprise. It loads the page anew, because all data in memory belong to one account. */
function AccountsLink({ isHere }: { readonly isHere: boolean }) {
  return (
    <li>
      <a href="/console/accounts" aria-current={isHere ? 'page' : undefined}>
        <Building2 size={ICON} aria-hidden />
        <span>{TEXT.accounts}</span>
      </a>
    </li>
  )
}

/** Pages that a caller can read. An enterprise token that acts for no account has those of the enterprise. */
function pagesOf(caller: Caller): readonly NavigationPage[] {
  const ofAll = isAdministrator(caller) ? ADMINISTRATION : [ACCESS]
  if (caller.account === null) return ofAll.filter(({ path }) => path !== '/rules')
  const ofAccount = caller.features.store ? PAGES : PAGES.filter(({ path }) => path === '/pipelines')
  return [...ofAccount, ...ofAll].filter(({ path }) => mayRead(path, caller))
}

/** Whether the server answers a page's requests: pages that show any line are not for members with groups. */
function mayRead(path: string, caller: Caller): boolean {
  if (path === '/errors') return canWrite(caller) && !caller.limited
  return path !== '/dead-letters' || !caller.limited
}

function Settings({ onKeys }: { readonly onKeys: () => void }) {
  const { theme, zone } = usePreferences()
  const [typedZone, setTypedZone] = useState(zone)
  const isWrong = typedZone !== '' && !isZone(typedZone)
  return (
    <Menu
      label={`${TEXT.theme}, ${TEXT.zone}`}
      className="quiet icon"
      side="above"
      button={<Settings2 size={ICON} aria-hidden />}
    >
      {close => (
        <div className={style.settings}>
          <fieldset>
            <legend>{TEXT.theme}</legend>
            <div className={style.themes}>
              {(Object.keys(TEXT.themes) as Theme[]).map(each => (
                <button
                  key={each}
                  type="button"
                  className="quiet"
                  aria-pressed={theme === each}
                  onClick={() => setPreferences({ theme: each })}
                >
                  {TEXT.themes[each]}
                </button>
              ))}
            </div>
          </fieldset>
          <label>
            {TEXT.zone}
            <input
              className="field"
              value={typedZone}
              placeholder={browserZone()}
              aria-invalid={isWrong}
              list="zones"
              onChange={({ target }) => {
                setTypedZone(target.value)
                if (target.value === '' || isZone(target.value)) setPreferences({ zone: target.value })
              }}
            />
          </label>
          <datalist id="zones">
            {['UTC', ...Intl.supportedValuesOf('timeZone')].map(name => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {isWrong && <p role="alert">{TEXT.zoneUnknown}</p>}
          <button
            type="button"
            className="button"
            onClick={() => {
              close()
              onKeys()
            }}
          >
            {TEXT.keys}
          </button>
        </div>
      )}
    </Menu>
  )
}

function AccountMenu({ caller, onSignedOut }: { readonly caller: Caller; readonly onSignedOut: () => void }) {
  const { token_id: tokenId } = caller
  const leave = async (isRevoked: boolean) => {
    if (isRevoked && tokenId !== null) await revoke(tokenId)
    await signOut()
    await forgetAll()
    onSignedOut()
  }
  const name = nameOf(caller)
  return (
    <Menu
      className={`quiet ${style.account}`}
      side="above"
      button={
        <>
          <span className={style.who}>
            <span className="hidden">{`${TEXT.account}: `}</span>
            <b>{name}</b>
            <small>{[caller.role, caller.account].filter(each => each !== null).join(' \u00b7 ')}</small>
          </span>
          <LogOut size={15} aria-hidden />
        </>
      }
    >
      {() => (
        <div className={style.choices}>
          <button type="button" className="quiet" onClick={() => void leave(false)}>
            {TEXT.signOutHere}
          </button>
          {tokenId !== null && (
            <button type="button" className="quiet" onClick={() => void leave(true)}>
              {TEXT.signOutRevoke}
            </button>
          )}
        </div>
      )}
    </Menu>
  )
}
