import { Share2 } from 'lucide-react'
import { accountInAddress } from '../api/delegation.ts'
import { parametersOf, type Selection } from '../api/searches.ts'
import { Menu } from '../shell/menu.tsx'
import { TEXT } from '../texts.ts'
import style from './search.module.css'

interface ShareMenuProps {
  readonly selection: Selection
  /** Whether the range of the address is relative to now. */
  readonly isRelative: boolean
  /** Address of the request that answers the same. */
  readonly command: string
}

/** Longer addresses are refused by some browsers and servers. */
const MAX_ADDRESS = 8_000

/** Links to the page as it is, the command that answers the same, and the lines as a file. */
export function ShareMenu({ selection, isRelative, command }: ShareMenuProps) {
  return (
    <Menu label={TEXT.shareMenu} className="quiet icon" align="end" button={<Share2 size={16} aria-hidden />}>
      {close => {
        const { href, pathname } = window.location
        const account = accountInAddress(pathname)
        const copy = (name: string, text: string) => (
          <li key={name}>
            <button
              type="button"
              className="quiet"
              onClick={() => void navigator.clipboard.writeText(text).then(close)}
            >
              {name}
            </button>
          </li>
        )
        return (
          <ul className={style.share}>
            {href.length > MAX_ADDRESS ? (
              <>
                <li className="soft">{TEXT.addressTooLong}</li>
                {copy(TEXT.copyQuery, selection.query)}
              </>
            ) : (
              <>
                {copy(TEXT.copyLink, href)}
                {isRelative && copy(TEXT.copyFixedLink, fixedAddress(href, selection))}
              </>
            )}
            {copy(TEXT.copyCommand, commandOf(command, account))}
            {/* A link cannot name the account that an enterprise token acts for. */}
            {account === undefined && (
              <li>
                <a
                  className="quiet"
                  href={fileAddress(selection)}
                  download="weir-lines.ndjson"
                  onClick={close}
                >
                  {TEXT.saveFile}
                </a>
              </li>
            )}
          </ul>
        )
      }}
    </Menu>
  )
}

/** The address with the two times that its range means now. */
function fixedAddress(href: string, { fromMs, toMs }: Selection): string {
  const url = new URL(href)
  url.searchParams.set('from', String(fromMs))
  url.searchParams.set('to', String(toMs))
  url.searchParams.delete('live')
  return url.href
}

/** The lines of the search, oldest first, one record a line; the server bounds them. */
function fileAddress(selection: Selection): string {
  return `/v1/export?${parametersOf(selection)}&prefer=head`
}

/** The command line that answers the same. The secret is a variable. */
function commandOf(address: string, account: string | undefined): string {
  const delegation = account === undefined ? '' : ` -H 'x-delegate-account-id: ${account}'`
  return `curl -H "Authorization: Token $TOKEN"${delegation} '${window.location.origin}${address.replaceAll("'", '%27')}'`
}
