import { type Caller, isAdministrator } from '../api/session.ts'
import { Tabs } from '../components/tabs.tsx'
import { useTab } from '../components/use-tab.ts'
import frame from '../shell/frame.module.css'
import { GroupsTab } from './groups-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { TEXT } from './texts.ts'
import { TokensTab } from './tokens-tab.tsx'

const TABS = ['tokens', 'keys', 'members', 'groups'] as const

/** `/console/access`: access tokens; for administrators also keys, members and groups. */
export default function AccessPage({ caller }: { readonly caller: Caller }) {
  const [tab, setTab] = useTab(TABS)
  // Keys, members and groups belong to accounts.
  const canSeeAll = isAdministrator(caller) && caller.account !== null
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{caller.account === null ? TEXT.tabs.tokens : TEXT.title}</h1>
      </div>
      {canSeeAll && (
        <Tabs
          label={TEXT.title}
          names={TABS}
          present={tab}
          nameOf={each => TEXT.tabs[each]}
          onChoose={setTab}
        />
      )}
      {canSeeAll ? (
        <div role="tabpanel" aria-label={TEXT.tabs[tab]}>
          {tab === 'tokens' && <TokensTab caller={caller} />}
          {tab === 'keys' && <KeysTab />}
          {tab === 'members' && <MembersTab caller={caller} />}
          {tab === 'groups' && <GroupsTab />}
        </div>
      ) : (
        <TokensTab caller={caller} />
      )}
    </div>
  )
}
