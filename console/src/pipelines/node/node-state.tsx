import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { readBuckets, readProfile } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { Buckets } from './buckets.tsx'
import style from './node.module.css'
import { ProfileView } from './profile-view.tsx'
import { Shown } from './shown.tsx'
import type { StatefulType } from './stateful-types.ts'

const POLL_MS = 5_000

/** A node of a pipeline, by the ids of the server. */
interface NodeId {
  readonly pipelineId: string
  readonly nodeId: string
}

const VIEWS: Readonly<Record<StatefulType, (node: NodeId) => ReactNode>> = {
  throttle: node => <ThrottleState {...node} />,
  'data-profiler': node => <ProfileState {...node} />,
}

/** State that a node of the deployed pipeline has now. */
export default function NodeState({
  pipelineId,
  nodeId,
  type,
}: {
  readonly pipelineId: string
  readonly nodeId: string | undefined
  readonly type: StatefulType
}) {
  if (nodeId === undefined) return <p className={style.small}>{TEXT.stateRuns}</p>
  return VIEWS[type]({ pipelineId, nodeId })
}

function ThrottleState({ pipelineId, nodeId }: NodeId) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['buckets', pipelineId, nodeId],
    queryFn: ({ signal }) => readBuckets(pipelineId, nodeId, signal),
    refetchInterval: POLL_MS,
  })
  return (
    <Shown isLoading={isFetching && data === undefined} error={error} onRetry={() => void refetch()}>
      {data && (
        <>
          <Buckets list={data} />
          <Link href={`/throttles?node=${nodeId}`}>{TEXT.throttle.exempt}</Link>
        </>
      )}
    </Shown>
  )
}

function ProfileState({ pipelineId, nodeId }: NodeId) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['profile', pipelineId, nodeId],
    queryFn: ({ signal }) => readProfile(pipelineId, nodeId, signal),
    refetchInterval: POLL_MS,
  })
  return (
    <Shown isLoading={isFetching && data === undefined} error={error} onRetry={() => void refetch()}>
      {data && <ProfileView profile={data} />}
    </Shown>
  )
}
