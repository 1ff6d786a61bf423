import { Tabs } from '../components/tabs.tsx'
import { useTab } from '../components/use-tab.ts'
import frame from '../shell/frame.module.css'
import { ExclusionsTab } from './exclusions-tab.tsx'
import { QuotasTab } from './quotas-tab.tsx'
import { RetentionTab } from './retention-tab.tsx'
import { TEXT } from './texts.ts'

const TABS = ['exclusions', 'stream', 'retention', 'quotas'] as const

/** `/console/rules`: rules about lines before they are stored, for administrators. */
export default function RulesPage() {
  const [tab, setTab] = useTab(TABS)
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.title}</h1>
      </div>
      <Tabs
        label={TEXT.title}
        names={TABS}
        present={tab}
        nameOf={each => TEXT.tabs[each]}
        onChoose={setTab}
      />
      <div role="tabpanel" aria-label={TEXT.tabs[tab]}>
        {(tab === 'exclusions' || tab === 'stream') && <ExclusionsTab key={tab} list={tab} />}
        {tab === 'retention' && <RetentionTab />}
        {tab === 'quotas' && <QuotasTab />}
      </div>
    </div>
  )
}
