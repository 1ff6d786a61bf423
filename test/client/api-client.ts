/**
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "/"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {};
export type Healthy = {
    status: "ok";
};
export type Ready = {
    status: "ready";
};
export type V1Error = {
    /** Every finding of a validation. */
    details?: {
        message: string;
        key: string;
    }[];
    error: string;
    code: string;
    status: "error";
};
export type NotReady = {
    status: "not ready";
    reasons: string[];
};
export type IngestedLine = {
    /** The text. Over 16,384 bytes of UTF-8 it is cut. */
    line: string;
    /** UNIX time in any unit, recognised by its magnitude, or an RFC 3339 date-time. Default: time of arrival. */
    timestamp?: number | string;
    app?: string;
    level?: string;
    env?: string;
    /** Path of the file that the line was read from. */
    file?: string;
    /** Instead of the hostname of the request. */
    hostname?: string;
    /** An object is searchable by its fields, a string by its words. */
    meta?: {
        [key: string]: unknown;
    } | string;
    tags?: string | string[];
};
export type IngestedLines = {
    lines: IngestedLine[];
};
export type LinesAccepted = {
    status: string;
    batchID: string;
};
export type LinesPartlyAccepted = {
    status: number[];
    batchID: string;
};
export type PushedData = {
    status: "ok";
};
export type PushError = {
    status: "error";
    code: string;
    error: string;
};
export type Meta = {
    pk: string;
    "type"?: string;
    links: object;
    page?: {
        next: string | null;
        previous: null;
    } | null;
};
export type NodeTypeError = {
    code: string;
    /** Cause of the error. */
    meaning: string;
};
export type NodeTypeExample = {
    /** Null for an example that shows nothing but options. */
    title: string | null;
    user_config: object;
    /** Named outputs of a node with these options; empty: only the default output, or none. */
    outputs: {
        name: string;
        label: string;
    }[];
};
export type NodeType = {
    kind: "source" | "transform" | "sink";
    /** Value of `type` in a node. */
    "type": string;
    /** Other names of the type. */
    aliases: string[];
    summary: string;
    /** Whether this version runs nodes of the type. Others are stored, and a pipeline with them cannot be published. */
    runs: boolean;
    /** Feature of the account without which a node of the type cannot be published. */
    feature: string | null;
    /** JSON Schema of `user_config`, complete in itself. Options with `writeOnly` contain secrets. */
    config: object;
    /** by_options: options of the node give its outputs and their names. */
    outputs: "none" | "default" | "by_options";
    /** Errors that its nodes can report. */
    errors: NodeTypeError[];
    /** Options as they can be sent. */
    examples: NodeTypeExample[];
};
export type NodeTypeListEnvelope = {
    meta: Meta;
    data: NodeType[];
};
export type V3Error = {
    status: number;
    code: string;
    message: string;
    /** Copy of message. */
    error: string;
    errors?: {
        instancePath: string;
        message: string;
    }[];
};
export type PipelineRecord = {
    id: string;
    account_id: string;
    partition_id: string;
    title: string;
    deploy_type: string;
    deployment_groups: string[];
    config: {};
    created_at: string;
    updated_at: string | null;
    published_at: string | null;
    published_revision_id: string | null;
    deployed_revision_id: string | null;
    loaded_revision_id: string | null;
    processing_status: "enabled" | "paused";
    /** Absent: the pipeline is not paused. store: lines are not handled, and without another pipeline that reads log ingestion they are stored unchanged; a gateway route that no other pipeline reads is answered 503. hold: what the pipeline reads, log ingestion or gateway routes, is answered 503 with retry-after, and senders keep their data. drop: lines and events are taken, dropped, and counted under the node `paused`. */
    pause_mode?: "store" | "hold" | "drop";
    has_pending_actions: boolean;
    has_changes: boolean;
    origin: string;
    template: null;
};
export type PipelineRecordListEnvelope = {
    meta: Meta;
    data: PipelineRecord[];
};
export type PipelineBody = {
    title: string;
    origin?: "terraform" | "ui";
    deploy_type?: string;
    deployment_groups?: string[];
    /** Ignored. */
    id?: unknown;
    /** Ignored. */
    account_id?: unknown;
    /** Ignored. */
    partition_id?: unknown;
    /** Ignored. */
    config?: unknown;
    /** Ignored. */
    created_at?: unknown;
    /** Ignored. */
    updated_at?: unknown;
    /** Ignored. */
    published_at?: unknown;
    /** Ignored. */
    published_revision_id?: unknown;
    /** Ignored. */
    deployed_revision_id?: unknown;
    /** Ignored. */
    loaded_revision_id?: unknown;
    /** Ignored. */
    processing_status?: unknown;
    /** Ignored. */
    pause_mode?: unknown;
    /** Ignored. */
    has_pending_actions?: unknown;
    /** Ignored. */
    has_changes?: unknown;
    /** Ignored. */
    template?: unknown;
    /** Ignored. */
    pipeline_id?: unknown;
    /** Ignored. */
    generation_id?: unknown;
    /** Ignored. */
    component_id?: unknown;
    /** Ignored. */
    consumer_id?: unknown;
};
export type PipelineRecordEnvelope = {
    meta: Meta;
    data: PipelineRecord;
};
export type DeletedRecord = {
    id: string;
    deleted: true;
};
export type DeletedRecordEnvelope = {
    meta: Meta;
    data: DeletedRecord;
};
export type GatewayRouteRecord = {
    id: string;
    account_id: string;
    consumer_id: string;
    "type": string;
    /** null: a source without a title created it. */
    title: string | null;
    description: string | null;
    created_at: string;
};
export type GatewayRouteRecordListEnvelope = {
    meta: Meta;
    data: GatewayRouteRecord[];
};
export type GatewayRouteCreate = {
    /** Type of the sources that may use it. */
    "type": string;
    title: string;
    description?: string | null;
};
export type GatewayRouteRecordEnvelope = {
    meta: Meta;
    data: GatewayRouteRecord;
};
export type GatewayRouteReplace = {
    "type"?: string;
    title: string;
    description?: string | null;
};
export type AccessKeyRecord = {
    id: string;
    account_id: string;
    title: string;
    gateway_route_id: string;
    created_at: string;
};
export type AccessKeyRecordListEnvelope = {
    meta: Meta;
    data: AccessKeyRecord[];
};
export type AccessKeyWrite = {
    title: string;
    "type": "generated";
    /** If present, it must be the id in the path. */
    gateway_route_id?: string | null;
};
export type NewAccessKeyRecord = {
    /** The key itself; only this answer shows it. */
    key: string;
    id: string;
    account_id: string;
    title: string;
    gateway_route_id: string;
    created_at: string;
};
export type NewAccessKeyRecordEnvelope = {
    meta: Meta;
    data: NewAccessKeyRecord;
};
export type ExemptionRecord = {
    /** Text of the key; null: events without a key. */
    key: string | null;
    until: string;
    reason: string;
    created_at: string;
    /** Whether the account's lines pass through it now; null: unknown to this process. */
    in_effect: boolean | null;
};
export type ExemptionRecordListEnvelope = {
    meta: Meta;
    data: ExemptionRecord[];
};
export type ExemptionWrite = {
    /** Text of the key; null: events without a key. */
    key: string | null;
    /** Duration from now. */
    minutes?: number;
    /** End of the exemption, at most seven days from now: ISO 8601, a UNIX time as a text, or a span from now such as 2h. */
    until?: string;
    /** Reason, a free text. */
    reason?: string;
};
export type ExemptionRecordEnvelope = {
    meta: Meta;
    data: ExemptionRecord;
};
export type EndedExemption = {
    /** Text of the key; null: events without a key. */
    key: string | null;
    deleted: true;
};
export type EndedExemptionEnvelope = {
    meta: Meta;
    data: EndedExemption;
};
export type BucketTotals = {
    /** The end of the window. */
    at: string;
    threshold: number;
    window_ms: number;
    /** Number of buckets of keys that hold a pass time. */
    buckets: number;
    runs: number;
    /** Number of passes that expire late because the room for times was used up. */
    joined_passes: number;
    bytes: number;
    key_bytes: number;
};
export type BucketRecord = {
    /** Bucket of one key, of events without a key, or of all keys beyond the maximum number of buckets. */
    bucket: "key" | "default" | "shared";
    /** Text of the key; null also when it is too long to be kept. */
    key: string | null;
    /** Hash of a key that is too long to be kept. */
    key_sha256: string | null;
    /** Number of events that passed in the window that ends now. */
    passed: number;
    /** Time of the oldest of these events. */
    oldest_at: string | null;
    /** Time of the newest of these events. */
    newest_at: string | null;
    /** Time at which it has room again; null: now. */
    free_from: string | null;
    /** End of its exemption; null: it is not exempt, or the key is unknown. */
    exempt_until: string | null;
};
export type BucketRecordListEnvelope = {
    meta: {
        pk: string;
        "type": string;
        links: object;
        page: {
            next: null;
            previous: null;
        };
        totals: BucketTotals;
    };
    data: BucketRecord[];
};
export type OneBucketRecord = {
    /** Bucket of one key, of events without a key, or of all keys beyond the maximum number of buckets. */
    bucket: "key" | "default" | "shared";
    /** Text of the key; null also when it is too long to be kept. */
    key: string | null;
    /** Hash of a key that is too long to be kept. */
    key_sha256: string | null;
    /** Number of events that passed in the window that ends now. */
    passed: number;
    /** Time of the oldest of these events. */
    oldest_at: string | null;
    /** Time of the newest of these events. */
    newest_at: string | null;
    /** Time at which it has room again; null: now. */
    free_from: string | null;
    /** End of its exemption; null: it is not exempt, or the key is unknown. */
    exempt_until: string | null;
    /** Number of different times at which events passed. */
    runs: number;
    /** The newest 1000 of them, oldest first. */
    passes: {
        at: string;
        count: number;
    }[];
};
export type OneBucketRecordEnvelope = {
    meta: Meta;
    data: OneBucketRecord;
};
export type ProfileRunRecord = {
    /** A run waits for its first event, and ends after 1,000,000 events or 24 hours. */
    state: "waiting" | "running" | "ended";
    /** Log time of its first event; null: it waits for one. */
    started_at: string | null;
    /** Number of events of the run. */
    events: number;
};
export type ProfiledTemplateRecord = {
    /** Tokens of the lines; `<*>` stands for those that differ. */
    template: string;
    lines: number;
    bytes: number;
    /** The first 20 apps. */
    apps: string[];
    /** The first five lines, cut. */
    samples: string[];
};
export type ProfiledValueRecord = {
    kind: "text" | "boolean" | "integer" | "null" | "array" | "object";
    /** The value, cut to 50 characters; the length of an array; the keys of an object. */
    value: string;
    events: number;
};
export type ProfiledNumbers = {
    count: number;
    min: number;
    max: number;
    mean: number;
};
export type ProfiledTimes = {
    count: number;
    min: string;
    max: string;
};
export type ProfiledFieldRecord = {
    /** Path such as .level */
    field: string;
    /** Number of events that have the field. */
    events: number;
    /** Share of all profiled events, 0 to 1. */
    share: number;
    /** Size of the events that have the field. */
    event_bytes: number;
    /** Size of the field: its name and its value. */
    bytes: number;
    /** Values of the most events first. */
    values: ProfiledValueRecord[];
    /** Number of the values that are kept, at most 500. */
    distinct_values: number;
    /** Number of events with a value beyond those that are kept. */
    other_values: number;
    numbers: ProfiledNumbers | null;
    times: ProfiledTimes | null;
};
export type OtherFieldsRecord = {
    events: number;
    bytes: number;
};
export type ProfiledNameRecord = {
    /** null: all names beyond the first thousand, together. */
    name: string | null;
    lines: number;
    bytes: number;
};
export type ProfileRecord = {
    at: string;
    run: ProfileRunRecord;
    /** Number of all profiled events, over all runs since the last reset. */
    events: number;
    bytes: number;
    /** Number of events that are only counted by name, because more would have cost too much. */
    cut_events: number;
    /** Templates of the most lines first. */
    templates: ProfiledTemplateRecord[];
    total_templates: number;
    /** Fields of the most events first. */
    fields: ProfiledFieldRecord[];
    total_fields: number;
    other_fields: OtherFieldsRecord;
    /** Lines by app, the most lines first. */
    apps: ProfiledNameRecord[];
    /** Lines by host. */
    hosts: ProfiledNameRecord[];
    /** Lines by level. */
    levels: ProfiledNameRecord[];
    /** Lines by the pattern that they match. */
    event_types: ProfiledNameRecord[];
};
export type ProfileRecordEnvelope = {
    meta: Meta;
    data: ProfileRecord;
};
export type ProfileResetRecord = {
    reset_at: string;
    /** Whether it holds for the next event; null: unknown to this process. */
    in_effect: boolean | null;
};
export type ProfileResetRecordEnvelope = {
    meta: Meta;
    data: ProfileResetRecord;
};
export type DeliveryTroubleRecord = {
    at: string;
    code: string;
    /** Status of the answer; null: there was none. */
    status: number | null;
    message: string;
};
export type DestinationDeliveryRecord = {
    pipeline_id: string;
    node_id: string;
    at: string;
    /** retrying: the last attempt failed. resting: the other system refuses the credentials; nothing is given up. null: another process sends, and only it knows. */
    state: "delivering" | "retrying" | "resting" | null;
    /** Time since which no attempt has succeeded; null: the last one did. */
    failing_since: string | null;
    /** Age of the oldest waiting event. */
    lag_seconds: number;
    /** Events that reached the destination since its deliveries began: the sum of the four others. */
    handed_over: number;
    /** Events that the other system has accepted. */
    delivered: number;
    /** Events that the other system has refused, or did not accept in time. */
    given_up: number;
    /** Events that were left out because their pipeline was deleted. */
    dropped: number;
    /** Events that have not been delivered yet. */
    waiting: number;
    /** The last attempt that failed since the process began; null: there was none. */
    last_trouble: DeliveryTroubleRecord | null;
};
export type DestinationDeliveryRecordListEnvelope = {
    meta: Meta;
    data: DestinationDeliveryRecord[];
};
export type DeliveryRecord = {
    at: string;
    /** retrying: the last attempt failed. resting: the other system refuses the credentials; nothing is given up. null: another process sends, and only it knows. */
    state: "delivering" | "retrying" | "resting" | null;
    /** Time since which no attempt has succeeded; null: the last one did. */
    failing_since: string | null;
    /** Age of the oldest waiting event. */
    lag_seconds: number;
    /** Events that reached the destination since its deliveries began: the sum of the four others. */
    handed_over: number;
    /** Events that the other system has accepted. */
    delivered: number;
    /** Events that the other system has refused, or did not accept in time. */
    given_up: number;
    /** Events that were left out because their pipeline was deleted. */
    dropped: number;
    /** Events that have not been delivered yet. */
    waiting: number;
    /** The last attempt that failed since the process began; null: there was none. */
    last_trouble: DeliveryTroubleRecord | null;
};
export type DeliveryRecordEnvelope = {
    meta: Meta;
    data: DeliveryRecord;
};
export type DeliveryCheckRecord = {
    /** accepted: the server took the empty request. answered: it gave another answer, so it is there. refused: it refuses the credentials, or does not allow the request. silent: no answer of the protocol came. */
    outcome: "accepted" | "answered" | "refused" | "silent";
    /** HTTP status; null: there was none, or the protocol has none. */
    status: number | null;
    /** The outcome as a sentence. */
    message: string;
    /** Beginning of the answer, without secrets, or the name of an error of Kafka. */
    answer: string;
};
export type DeliveryCheckRecordEnvelope = {
    meta: Meta;
    data: DeliveryCheckRecord;
};
export type PipelineState = {
    /** State of operation, such as normal or incident. */
    operational_state: string;
    [key: string]: string;
};
export type StateVariableRecord = {
    /** Id of the record: that of the pipeline. */
    id: string;
    account_id: string;
    pipeline_id: string;
    state: PipelineState;
    created_at: string;
    updated_at: string | null;
};
export type StateVariableRecordListEnvelope = {
    meta: Meta;
    data: StateVariableRecord[];
};
export type StateVariableWrite = {
    /** Id of the pipeline. */
    pipeline_id: string;
    state: PipelineState;
};
export type StateVariableRecordEnvelope = {
    meta: Meta;
    data: StateVariableRecord;
};
export type WaitingDeadLetters = {
    pipeline_id: string;
    /** Title of the pipeline. */
    title: string;
    /** Code of the failure, such as E_NOT_FOUND. */
    code: string;
    /** Number of letters that were not replayed. */
    letters: number;
    first_failed_at: string;
    last_failed_at: string;
};
export type WaitingDeadLettersListEnvelope = {
    meta: Meta;
    data: WaitingDeadLetters[];
};
export type DeadLetterSettingsRecord = {
    /** Whether events that fail are kept. */
    enabled: boolean;
    /** Retention of failed events. */
    retention_days: number;
    /** Seconds during which delivery to a destination is retried before its events fail; null: forever. */
    give_up_after_s: number | null;
};
export type DeadLetterRecord = {
    id: string;
    pipeline_id: string;
    node_id: string;
    revision_id: string | null;
    /** Code of the failure, such as E_NOT_FOUND. */
    code: string;
    /** The path concerned, as configured. */
    field: string | null;
    message: string;
    failed_at: string;
    replayed_at: string | null;
    replayed_revision_id: string | null;
    /** The event as it reached the node that failed. */
    event: {
        message: unknown;
        metadata: object;
        timestamp: string;
        annotations?: object;
    };
};
export type DeadLetterRecordListEnvelope = {
    meta: {
        pk: string;
        "type": string;
        links: object;
        page: {
            next: string | null;
            previous: null;
        };
        settings: DeadLetterSettingsRecord;
    };
    data: DeadLetterRecord[];
};
export type DeadLetterSettingsWrite = {
    /** Whether events that fail are kept. */
    enabled: boolean;
    /** Retention of failed events. */
    retention_days?: number;
    /** Seconds during which delivery to a destination is retried before its events fail; null: forever. */
    give_up_after_s?: number | null;
};
export type DeadLetterSettingsRecordEnvelope = {
    meta: Meta;
    data: DeadLetterSettingsRecord;
};
export type DeadLetterFilter = {
    /** Code of the failure, such as E_NOT_FOUND. */
    code?: string;
    /** Id of the node that failed. */
    node?: string;
    /** Id of the revision that failed. */
    revision?: string;
    /** Letters that failed at this time or later: ISO 8601 (UTC without an offset), UNIX seconds or milliseconds, or relative to now: now, today, -1h, now-1d12h. */
    "from"?: string;
    /** Letters that failed before this time, in the same forms. */
    to?: string;
};
export type DeadLetterReplay = {
    ids?: string[];
    filter?: DeadLetterFilter;
};
export type DeadLetterReplayRecord = {
    /** Number of letters that the present revision has processed. */
    replayed: number;
    /** Number of letters that were sent to it; the list shows the result. */
    pending: number;
    /** Number of letters left out because a letter is replayed only once. */
    already_replayed: number;
    /** Number of letters left out because the present revision does not have the node. */
    node_gone: number;
    /** Number of ids that are not letters of the pipeline, or whose letter was removed. */
    not_found: number;
    /** Number of letters beyond the limit of one call: repeat the call. */
    remaining: number;
};
export type DeadLetterReplayRecordEnvelope = {
    meta: Meta;
    data: DeadLetterReplayRecord;
};
export type HourlyPipelineErrorRecord = {
    /** Id of the errors of a node with one code and field; the same in every period. */
    id: string;
    pipeline_id: string;
    /** Id of the node, which may have been removed since. */
    node_id: string;
    node_kind: "source" | "transform" | "destination";
    /** Error code, such as E_NOT_FOUND. */
    code: string;
    /** Level of the code. */
    level: "error" | "warning";
    /** The path concerned, as configured. */
    field: string | null;
    /** The first error in one sentence. */
    message: string;
    /** Cause of the first of them, an event or a body, cut to 16 KiB. */
    captured: string;
    /** Time of the first error in the period. It is the start of the minute for errors of earlier versions, if that minute has several. */
    first_seen: string;
    last_seen: string;
    /** Number of errors in the period. */
    count: number;
    /** UTC hours with errors, ascending. */
    hours: {
        start: string;
        count: number;
    }[];
};
export type HourlyPipelineErrorRecordListEnvelope = {
    meta: Meta;
    data: HourlyPipelineErrorRecord[];
};
export type PipelineErrorCount = {
    pipeline_id: string;
    /** Id of the node, which may have been removed since. */
    node_id: string;
    /** Error code, such as E_NOT_FOUND. */
    code: string;
    /** Number of errors in the period. */
    count: number;
};
export type PipelineErrorCountListEnvelope = {
    meta: Meta;
    data: PipelineErrorCount[];
};
export type PipelineErrorRecord = {
    /** Id of the errors of a node with one code and field; the same in every period. */
    id: string;
    pipeline_id: string;
    /** Id of the node, which may have been removed since. */
    node_id: string;
    node_kind: "source" | "transform" | "destination";
    /** Error code, such as E_NOT_FOUND. */
    code: string;
    /** Level of the code. */
    level: "error" | "warning";
    /** The path concerned, as configured. */
    field: string | null;
    /** The first error in one sentence. */
    message: string;
    /** Cause of the first of them, an event or a body, cut to 16 KiB. */
    captured: string;
    /** Time of the first error in the period. It is the start of the minute for errors of earlier versions, if that minute has several. */
    first_seen: string;
    last_seen: string;
    /** Number of errors in the period. */
    count: number;
};
export type PipelineErrorRecordListEnvelope = {
    meta: Meta;
    data: PipelineErrorRecord[];
};
export type NodeSeries = {
    /** Id of the node, which may have been removed since. "paused" counts the events that a paused pipeline left out. */
    node: string;
    /** One for each interval. */
    events_in: number[];
    /** One for each interval. */
    bytes_in: number[];
    /** Events that left, once for each edge. */
    events_out: number[];
    /** One for each interval. */
    bytes_out: number[];
    /** Additional copies, for several edges or outputs. */
    copied: number[];
    /** Events made from others, beyond one for one. */
    created: number[];
    /** Events left out on purpose, or by an output without an edge. */
    dropped: number[];
    /** One for each interval. */
    dropped_bytes: number[];
    /** One for each interval. */
    failed: number[];
    /** One for each interval. */
    merged: number[];
    /** Change of the number of events that the node holds; may be negative. */
    held: number[];
};
export type EdgeSeries = {
    /** Id of the output, as in the inputs of nodes. */
    output: string;
    /** Id of the node that reads it. */
    node: string;
    /** One for each interval. */
    events: number[];
    /** One for each interval. */
    bytes: number[];
};
export type PipelineMetrics = {
    /** UNIX milliseconds, the beginning of a minute. */
    "from": number;
    /** UNIX milliseconds. Exclusive. */
    to: number;
    interval_ms: number;
    /** Beginning of each interval, UNIX milliseconds. */
    starts: number[];
    pipeline_id: string;
    /** The deployed revision, to which the edges belong; null: there are no edges. */
    revision_id: string | null;
    /** Nodes with counts in the period. */
    nodes: NodeSeries[];
    /** Edges of the deployed revision with events in the period. Where an output had other edges in the period, its events are divided equally. */
    edges: EdgeSeries[];
};
export type PipelineMetricsEnvelope = {
    meta: Meta;
    data: PipelineMetrics;
};
export type PipelineTotals = {
    pipeline_id: string;
    /** Events of its sources. */
    events_in: number;
    bytes_in: number;
    /** Events that its destinations gave on. */
    events_out: number;
    bytes_out: number;
    dropped: number;
    failed: number;
    /** Events of its sources in each interval. */
    "in": number[];
    /** Events of its destinations in each interval. */
    "out": number[];
};
export type MetricsOfPipelines = {
    /** UNIX milliseconds, the beginning of a minute. */
    "from": number;
    /** UNIX milliseconds. Exclusive. */
    to: number;
    interval_ms: number;
    /** Beginning of each interval, UNIX milliseconds. */
    starts: number[];
    pipelines: PipelineTotals[];
};
export type MetricsOfPipelinesEnvelope = {
    meta: Meta;
    data: MetricsOfPipelines;
};
export type LiveNode = {
    node: string;
    /** In the last second. */
    events_in: number;
    /** In the last second. */
    bytes_in: number;
    /** In the last second. */
    events_out: number;
    /** In the last second. */
    bytes_out: number;
    /** In the last second. */
    dropped: number;
    /** In the last second. */
    failed: number;
    /** In the last second. */
    merged: number;
    /** In the last second. */
    held: number;
};
export type LiveEdge = {
    output: string;
    node: string;
    /** In the last second. */
    events: number;
    /** In the last second. */
    bytes: number;
};
export type LiveMetrics = {
    "type": "counts";
    at: string;
    /** Length of the time in which they were counted: about a second. */
    over_ms: number;
    /** Nodes with events in that time. */
    nodes: LiveNode[];
    /** Edges of the running revision with events in that time. */
    edges: LiveEdge[];
};
export type RevisionSummary = {
    id: string;
    pipeline_id: string;
    /** 1, 2, 3, … in the order of publication */
    "number": number;
    /** Title of the pipeline when it was published */
    title: string;
    created_at: string;
    /** Number of nodes */
    nodes: number;
    /** Whether this is the revision that runs or is paused */
    deployed: boolean;
    /** Whether the account's lines pass through it now */
    loaded: boolean;
};
export type RevisionSummaryListEnvelope = {
    meta: Meta;
    data: RevisionSummary[];
};
export type RevisionNode = {
    id: string;
    kind: "source" | "transform" | "sink";
    "type": string;
    title: string | null;
    description: string | null;
    user_config: object;
    inputs: string[];
    gateway_route_id?: string;
};
export type RevisionAlert = {
    id: string;
    component_kind: "source" | "transform";
    component_id: string;
    inputs: string[];
    active: boolean;
    alert_config: object;
};
export type RevisionRecord = {
    id: string;
    pipeline_id: string;
    /** 1, 2, 3, … in the order of publication */
    "number": number;
    /** Title of the pipeline when it was published */
    title: string;
    created_at: string;
    nodes: RevisionNode[];
    /** Whether this is the revision that runs or is paused */
    deployed: boolean;
    /** Whether the account's lines pass through it now */
    loaded: boolean;
    alerts: RevisionAlert[];
};
export type RevisionRecordEnvelope = {
    meta: Meta;
    data: RevisionRecord;
};
export type MemberDifference = {
    /** JSON pointer into the node or alert */
    path: string;
    /** Previous value; absent: it did not exist */
    before?: unknown;
    /** New value; absent: it no longer exists */
    after?: unknown;
};
export type NodeDifference = {
    change: "added" | "removed" | "changed";
    kind: "source" | "transform" | "sink";
    id: string;
    "type": string;
    title: string | null;
    /** Changed members of a changed node */
    members: MemberDifference[];
};
export type AlertDifference = {
    change: "added" | "removed" | "changed";
    id: string;
    name: string;
    /** Changed members of a changed alert */
    members: MemberDifference[];
};
export type RevisionDiff = {
    "from": string;
    to: string;
    nodes: NodeDifference[];
    alerts: AlertDifference[];
    /** The differences as lines of text */
    text: string[];
};
export type RevisionDiffEnvelope = {
    meta: Meta;
    data: RevisionDiff;
};
export type PauseEffect = {
    /** INGESTION_UNFILTERED: no other running pipeline reads log ingestion, so its lines are stored unfiltered and unthrottled during the pause. SENDERS_HELD: senders are answered 503 during the pause. LINES_DROPPED: no other running pipeline reads what this one does, so it is dropped during the pause. */
    code: "INGESTION_UNFILTERED" | "SENDERS_HELD" | "LINES_DROPPED";
    message: string;
};
export type PausedPipelineEnvelope = {
    meta: {
        pk: string;
        "type"?: string;
        links: object;
        page?: {
            next: string | null;
            previous: null;
        } | null;
        /** Effects of this pause; with dry_run: effects that it would have. */
        effects: PauseEffect[];
    };
    data: PipelineRecord;
};
export type FileSimulationRequest = {
    /** A whole pipeline in the form of a file (see PUT /v3/pipeline/import); sources are named as in the file */
    pipeline: object;
    /** A list with one event per element, or a text: JSON, NDJSON, or lines. An object is a whole event if, apart from `message`, it has only `metadata`, `timestamp`, `annotations`, `at` (time of the log, RFC 3339 or UNIX ms) and `source` (id of its source), and at least one of them; every other value is a message. */
    samples: unknown[] | string;
    /** Format of samples that are sent as text */
    format?: "auto" | "json" | "ndjson" | "text";
    /** Source of samples that do not name one; required if there are several sources */
    source?: string;
    /** Whether windows that are still open at the end are closed */
    flush?: boolean;
};
export type EventRecord = {
    message: unknown;
    metadata: object;
    timestamp: string;
    /** Results of classifications, if it has any */
    annotations?: object;
};
export type SimulatedNode = {
    id: string;
    /** Name in the pipeline's file, if the file gives one */
    name?: string;
    kind: "source" | "transform" | "sink";
    "type": string;
    title: string | null;
    events_in: number;
    /** Events that other nodes received; for a sink: events that it would have sent */
    events_out: number;
    /** Events that became part of another one */
    merged: number;
    /** Events that windows hold at the end */
    held: number;
    dropped: {
        /** Number of the sample that it stems from, from 0; null: it left a window that expired */
        sample: number | null;
        event: EventRecord;
        /** The rule, as reported by the processor */
        reason: object;
    }[];
    failed: {
        /** Number of the sample that it stems from, from 0; null: it left a window that expired */
        sample: number | null;
        event: EventRecord;
    }[];
    errors: {
        /** Number of the sample that it stems from, from 0; null: it left a window that expired */
        sample: number | null;
        code: string;
        field: string | null;
        message: string;
    }[];
    /** Outputs of the node. A sink has one: the events that it would have sent */
    outputs: {
        id: string;
        label: string;
        /** false: no node reads this output, so its events are dropped */
        connected: boolean;
        events: {
            /** Number of the sample that it stems from, from 0; null: it left a window that expired */
            sample: number | null;
            event: EventRecord;
        }[];
    }[];
};
export type SimulationRecord = {
    /** Number of samples sent */
    samples: number;
    /** Number of samples that were run within the time limit */
    tried: number;
    /** Whether events are missing because there were too many; the counts include all */
    cut: boolean;
    /** Reason of an early end: the expressions of a sample cost too much */
    ended?: string;
    nodes: SimulatedNode[];
};
export type SimulationRecordEnvelope = {
    meta: Meta;
    data: SimulationRecord;
};
export type SimulationRequest = {
    /** The pipeline to try, which need not be saved, in the form of a file (see PUT /v3/pipeline/import). Masks of secrets that this pipeline has stand for these secrets. Sources are named as in the file */
    pipeline?: object;
    /** A list with one event per element, or a text: JSON, NDJSON, or lines. An object is a whole event if, apart from `message`, it has only `metadata`, `timestamp`, `annotations`, `at` (time of the log, RFC 3339 or UNIX ms) and `source` (id of its source), and at least one of them; every other value is a message. */
    samples: unknown[] | string;
    /** Format of samples that are sent as text */
    format?: "auto" | "json" | "ndjson" | "text";
    /** Source of samples that do not name one; required if there are several sources */
    source?: string;
    /** Whether windows that are still open at the end are closed */
    flush?: boolean;
};
export type StoredLine = {
    line_id: string;
    pipeline_id: string | null;
    node_id: string | null;
};
export type ExplainedDelivery = {
    /** dropped: its pipeline was deleted before it was sent; not_kept: the log that would show it is no longer kept */
    state: "delivered" | "given_up" | "waiting" | "dropped" | "not_kept";
    /** Batch with which it was, or will be, sent; omitted while no batch with it is complete */
    batch_id?: string;
    /** Number of that batch at this node and partition */
    batch?: number;
    /** Number of requests for that batch */
    attempts?: number;
    /** Time of the log at which it was delivered or given up */
    at?: string;
    /** Reason for which it was given up */
    error?: {
        code: string;
        field: string | null;
        message: string;
        status: number | null;
    };
};
export type ExplanationStep = {
    node_id: string;
    kind: "source" | "transform" | "sink";
    "type": string;
    title: string | null;
    /** held, merged: the event is part of a window of the node, alone or with others, and continues in the events of the window. At trace-sampling, held: it waits for the root of its trace, and is kept or dropped with it. For lines of a spread account: moved, to the partition of its key, where the next steps took place; under_way, when it has not arrived there yet; not_kept, when the log of that time is no longer kept there */
    outcome: "passed" | "dropped" | "failed" | "held" | "merged" | "moved" | "under_way" | "not_kept";
    /** Ids of the outputs by which it left */
    outputs: string[];
    /** false: no node reads these outputs, so it ended there */
    read: boolean;
    event: EventRecord;
    /** For a dropped event: the rule, as reported by the processor */
    reason?: object;
    errors: {
        code: string;
        field: string | null;
        message: string;
    }[];
    delivery?: ExplainedDelivery;
    /** For a step in another partition: topic, partition and offset in the log */
    place?: string;
    /** For a step in another partition: time of the log */
    handled_at?: string;
    /** For a step in another partition: number of the revision that made it */
    revision?: number;
};
export type AccountExplainedLine = {
    /** Topic, partition, offset and number of the line in the log */
    place: string;
    /** Time of the log */
    handled_at: string;
    event: EventRecord;
    /** Summary in one sentence */
    summary: string;
    /** Lines of the own store that were made from it, by all pipelines, alone or as the last event of a window */
    stored: StoredLine[];
    /** Places, in all pipelines, where a rule on lines or an exhausted quota kept it out of the store. Without a pipeline and a node: in the default graph, or it was dropped on arrival */
    excluded: {
        pipeline_id: string | null;
        node_id: string | null;
        /** The rule or quota */
        reason: object;
    }[];
    /** For a stored line that came out of a window: event is the result of the window, and place the record that ended it. events and group are omitted when an event ended the window early */
    window?: {
        pipeline_id: string;
        /** Number of the revision that the window belongs to */
        revision: number;
        node_id: string;
        /** Time of the log */
        ended_at: string;
        /** Number of events in the window */
        events?: number;
        /** Group of these events, as JSON texts; empty when all events form one group */
        group?: string;
    };
    /** Pipelines that were deployed when the line was handled; empty for a line that came out of a window. A stored line without a pipeline_id was stored by the default graph, which acts where no pipeline reads lines */
    pipelines: {
        pipeline_id?: string;
        /** Title of the pipeline as of that revision */
        title?: string;
        revision?: number | null;
        deployment?: number;
        paused?: boolean;
        /** true: the pipeline was paused with mode drop, and dropped the line; omitted otherwise */
        dropped_by_pause?: boolean;
        took_it?: boolean;
        steps?: ExplanationStep[];
    }[];
};
export type AccountExplainedLineListEnvelope = {
    meta: Meta;
    data: AccountExplainedLine[];
};
export type ExplainedLine = {
    /** Topic, partition, offset and number of the line in the log */
    place: string;
    /** Time of the log */
    handled_at: string;
    event: EventRecord;
    /** Summary in one sentence */
    summary: string;
    /** Lines of the own store that were made from it, by all pipelines, alone or as the last event of a window */
    stored: StoredLine[];
    /** Places, in all pipelines, where a rule on lines or an exhausted quota kept it out of the store. Without a pipeline and a node: in the default graph, or it was dropped on arrival */
    excluded: {
        pipeline_id: string | null;
        node_id: string | null;
        /** The rule or quota */
        reason: object;
    }[];
    /** For a stored line that came out of a window: event is the result of the window, and place the record that ended it. events and group are omitted when an event ended the window early */
    window?: {
        pipeline_id: string;
        /** Number of the revision that the window belongs to */
        revision: number;
        node_id: string;
        /** Time of the log */
        ended_at: string;
        /** Number of events in the window */
        events?: number;
        /** Group of these events, as JSON texts; empty when all events form one group */
        group?: string;
    };
    /** null: the pipeline was not deployed when the line was handled, or the line came out of a window */
    pipeline: {
        revision?: number | null;
        deployment?: number;
        paused?: boolean;
        /** true: the pipeline was paused with mode drop, and dropped the line; omitted otherwise */
        dropped_by_pause?: boolean;
        took_it?: boolean;
        steps?: ExplanationStep[];
    } | null;
};
export type ExplainedLineListEnvelope = {
    meta: Meta;
    data: ExplainedLine[];
};
export type PreviewRequest = {
    /** Length of the previewed period in minutes */
    minutes?: number;
    /** Number of the revision to try. Default: the edited nodes */
    revision?: string;
    /** The pipeline to try, which need not be saved, in the form of a file (see PUT /v3/pipeline/import). A node with the name or the id of one of the draft is that node. Masks of secrets that this pipeline has stand for these secrets. */
    pipeline?: object;
};
export type NullablePreviewCounts = {
    events_in: number;
    bytes_in: number;
    events_out: number;
    bytes_out: number;
    dropped: number;
    dropped_bytes: number;
    failed: number;
    /** Events that became part of another one */
    merged: number;
    /** Change of the number of events that windows hold */
    held: number;
} | null;
export type PreviewNode = {
    id: string;
    kind: "source" | "transform" | "sink";
    "type": string;
    title: string | null;
    /** Name in the pipeline of the request; absent without one */
    name?: string;
    deployed: NullablePreviewCounts;
    draft: NullablePreviewCounts;
};
export type PreviewRevisionInForce = {
    /** Not before the beginning of the period */
    "from": string;
    /** null: the pipeline had ended */
    revision: number | null;
    /** Whether the pipeline was paused, and handled no lines */
    paused: boolean;
};
export type PreviewOutcome = {
    /** null: the node is not on that side, or received no event */
    nodes: PreviewNode[];
    /** Lines whose events differ in destinations, number or content; also events of windows */
    differing: number;
    /** Lines with events still on their way to another partition at the end: they are not compared */
    under_way: number;
    /** Assumption about the order in which events of an account on several partitions meet; null: none, the result is exact */
    assumption: string | null;
    /** Revisions that the counts of the deployed side belong to, oldest first. Before the first of them the pipeline handled no lines; [] where nothing of it was in force */
    in_force: PreviewRevisionInForce[];
    samples: {
        event: EventRecord;
        /** Ids of the destinations that received it */
        deployed: string[];
        draft: string[];
        /** The event as each of them received it */
        deployed_events: EventRecord[];
        draft_events: EventRecord[];
    }[];
};
export type PreviewRecord = {
    id: string;
    pipeline_id: string;
    revision: string | null;
    status: "waiting" | "running" | "done" | "failed" | "cancelled";
    /** Reason of the failure */
    message?: string;
    created_at: string;
    "from": string;
    to: string;
    progress: {
        records: number;
        of_records: number;
        lines: number;
    };
    result?: PreviewOutcome;
};
export type PreviewRecordEnvelope = {
    meta: Meta;
    data: PreviewRecord;
};
export type PreviewRecordListEnvelope = {
    meta: Meta;
    data: PreviewRecord[];
};
export type FileSource = {
    /** Name of the node, unique in the file; the id of a node without a name */
    name: string;
    "type": string;
    title?: string;
    description?: string;
    /** Options of the type */
    config?: object;
    /** Gateway route that the source shares with others */
    gateway_route_id?: string;
};
export type FileNode = {
    /** Name of the node, unique in the file; the id of a node without a name */
    name: string;
    "type": string;
    title?: string;
    description?: string;
    /** Options of the type */
    config?: object;
    /** Names of other nodes, or name.label for one of several outputs */
    inputs?: string[];
};
export type FileAlert = {
    /** Name of the source or processor */
    on: string;
    /** Watched outputs; default: all */
    inputs?: string[];
    active?: boolean;
    /** The alert, in the form of alert_config */
    config: object;
};
export type FileEvent = {
    /** Name of the source; not needed when there is only one */
    source?: string;
    /** Time of arrival: RFC 3339, or UNIX ms. Default: 2026-01-01T00:00:00Z */
    at?: unknown;
    /** Message of the event */
    message: unknown;
    /** Metadata of the event */
    metadata?: object;
    /** Annotations of the event */
    annotations?: object;
    /** Timestamp of the event: RFC 3339, or UNIX ms. Default: time of arrival */
    timestamp?: unknown;
};
export type FileTest = {
    name: string;
    events: FileEvent[];
    /** Expected events by node or output: an array of messages, or an object with messages, metadata and count; of a node also dropped, failed and errors, which are codes */
    expect: object;
};
export type PipelineFile = {
    /** Type and version of the document */
    weir: "pipeline/1";
    /** Id of the pipeline; without it, the title identifies the pipeline */
    id?: string;
    title: string;
    sources?: FileSource[];
    processors?: FileNode[];
    destinations?: FileNode[];
    alerts?: FileAlert[];
    /** Tests for "weir pipeline test"; the server does not keep them */
    tests?: FileTest[];
};
export type FileDifference = {
    /** null: the pipeline does not exist yet */
    pipeline_id: string | null;
    /** Whether applying the file would change anything */
    changed: boolean;
    nodes: NodeDifference[];
    alerts: AlertDifference[];
    /** The differences as lines of text */
    text: string[];
};
export type ImportedFile = PipelineRecord | FileDifference;
export type ImportedFileEnvelope = {
    meta: Meta;
    data: ImportedFile;
};
export type GraphNode = {
    id: string;
    /** Name in the document. */
    name: string;
    /** Whether its events leave in requests: then it has deliveries. */
    sends: boolean;
    outputs: {
        id: string;
        label: string;
        /** Name in `inputs` of other nodes of the document. */
        name: string;
    }[];
};
export type PipelineGraph = {
    /** Number of the revision; null for the draft. */
    revision: number | null;
    /** Version of the document, for the header if-match of a change. */
    etag: string;
    document: PipelineFile;
    /** Ids of the nodes of the document, and their outputs. */
    nodes: GraphNode[];
};
export type PipelineGraphEnvelope = {
    meta: Meta;
    data: PipelineGraph;
};
export type PipelineGraphChange = {
    /** Whether the document differs from the draft before it. */
    changed: boolean;
    nodes: NodeDifference[];
    alerts: AlertDifference[];
    /** The differences as lines of text. */
    text: string[];
    graph: PipelineGraph;
};
export type PipelineGraphChangeEnvelope = {
    meta: Meta;
    data: PipelineGraphChange;
};
export type GraphConflict = {
    status: number;
    code: string;
    message: string;
    /** Copy of message. */
    error: string;
    errors?: {
        instancePath: string;
        message: string;
    }[];
    data: PipelineGraph;
};
export type AlertRecord = {
    id: string;
    account_id: string;
    pipeline_id: string;
    component_kind: "source" | "transform";
    component_id: string;
    inputs: string[];
    active: boolean;
    alert_config: object;
};
export type AlertRecordListEnvelope = {
    meta: Meta;
    data: AlertRecord[];
};
export type AlertRecordEnvelope = {
    meta: Meta;
    data: AlertRecord;
};
export type AlertWrite = {
    /** Kind of node, as in the path */
    component_kind: "source" | "transform";
    /** Watched outputs of the node */
    inputs: string[];
    /** Whether the alert can fire */
    active?: boolean;
    alert_config: {
        general: {
            /** Name of the alert */
            name: string;
            /** Description of the alert */
            description?: string;
        };
        evaluation: {
            /** Type of alert: a condition on a window, a change against the previous window, or a window without events */
            alert_type: "threshold" | "change" | "absence";
            /** Type of the events */
            event_type: "log" | "metric";
            /** Operation that combines the events of a window. Logs need CUSTOM; not for absence */
            operation?: "DEFAULT" | "SUM" | "MIN" | "MAX" | "AVG" | "SET_INTERSECTION" | "DIST_CONCAT" | "CUSTOM";
            /** JavaScript function for CUSTOM only */
            script?: string;
            /** Condition on the result of the window; not for absence */
            conditional?: object;
            /** Whether windows follow one another or overlap */
            window_type?: "tumbling" | "sliding";
            /** Length of a window */
            window_duration_minutes?: number;
            /** Fields whose values form groups; each group has its own windows */
            group_by?: string[];
            /** Field with the time of an event; only for logs */
            event_timestamp?: string;
        };
        alert_payload: {
            service: {
                /** The service; the other members depend on it */
                name: "slack" | "webhook" | "pager_duty" | "log_analysis";
                /** Address of the service; for slack, webhook and pager_duty */
                uri?: string;
                /** Body of the notice for slack and webhook; for webhook it may be JSON as text */
                message_text?: string;
                /** HTTP method of a webhook; default: post */
                method?: "post" | "put" | "patch" | "delete" | "get" | "head" | "options" | "trace";
                /** Additional headers of a webhook */
                headers?: {
                    /** Name */
                    header_name: string;
                    /** Value */
                    header_value: string;
                }[];
                /** Authentication of a webhook; default: none */
                auth?: {
                    /** How */
                    strategy: "none" | "basic" | "bearer";
                    /** Only for basic */
                    user?: string;
                    /** Only for basic */
                    password?: string;
                    /** Only for bearer */
                    token?: string;
                };
                /** Summary for pager_duty */
                summary?: string;
                /** Origin that pager_duty shows */
                source?: string;
                /** Integration key for pager_duty */
                routing_key?: string;
                /** Action for pager_duty, such as trigger or resolve */
                event_action?: string;
                /** Severity, for pager_duty and log_analysis */
                severity?: "INFO" | "WARNING" | "ERROR" | "CRITICAL";
                /** Start of the line that log_analysis stores */
                subject?: string;
                /** Rest of the line that log_analysis stores */
                body?: string;
                /** Ingestion key for the line that log_analysis stores */
                ingestion_key?: string;
            };
            throttling?: {
                /** Time in which notices are counted */
                window_secs?: number;
                /** Maximum number of notices in that time */
                threshold?: number;
            };
        };
    };
    /** If not empty, the same as in the path */
    component_id?: unknown;
    /** If not empty, the same as in the path */
    pipeline_id?: unknown;
    /** Ignored */
    id?: unknown;
    /** Ignored */
    account_id?: unknown;
};
export type TapEventMessage = {
    "type": "event";
    /** Id of the output by which the event left. */
    output: string;
    event: {
        message: unknown;
        metadata: unknown;
        timestamp: string;
        annotations?: unknown;
    };
};
export type TapCutEventMessage = {
    "type": "event";
    /** Id of the output by which the event left. */
    output: string;
    /** Start of the JSON text of an event that is too large to be shown. */
    cut: string;
    /** Size of the whole text. */
    bytes: number;
};
export type TapRevisionMessage = {
    "type": "revision";
    /** Number of the running revision; null when nothing runs. */
    revision: number | null;
    /** Number of the deployment; rises with every publication, pause and resumption. */
    deployment: number;
    paused: boolean;
    /** Whether the revision contains the node and, if given, the output. */
    present: boolean;
    at: string;
};
export type TapSkippedMessage = {
    "type": "skipped";
    /** Number of events that were not shown since the previous message of this type. */
    count: number;
    /** Number of these events that the filter was not applied to. */
    not_filtered: number;
};
export type TapEndMessage = {
    "type": "end";
    reason: "limit" | "time" | "withdrawn" | "rights" | "closed" | "slow" | "stopped" | "failed";
    message: string;
    /** Number of events that were shown. */
    events: number;
    /** Number of events that were skipped. */
    skipped: number;
};
export type TapMessage = TapEventMessage | TapCutEventMessage | TapRevisionMessage | TapSkippedMessage | TapEndMessage;
export type NodeCreate = {
    "type": string;
    title?: string | null;
    description?: string | null;
    /** Options of the type; docs/nodes.md lists them. */
    user_config?: object;
    /** Output ids of other nodes; not allowed on sources. */
    inputs?: string[] | null;
    /** Gateway route that a push source shares with others; it cannot be changed. */
    gateway_route_id?: string | null;
    /** Older name of `gateway_route_id`, which takes precedence. */
    shared_source_id?: string | null;
};
export type SourceLogAgent = {
    "type"?: "log-agent" | "mezmo-agent";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceAzureEventHub = {
    "type"?: "azure-event-hub";
    user_config: {
        /** Connection string of the namespace, with its access key */
        connection_string: string;
        /** Event Hubs namespace */
        "namespace": string;
        /** Consumer group */
        group_id: string;
        /** Event hubs to read */
        topics: string[];
        /** Rule by which the data becomes an event */
        decoding_codec?: "bytes" | "json";
    };
};
export type SourceDatadogAgent = {
    "type"?: "datadog-agent" | "mezmo-datadog-source";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceDemoLogs = {
    "type"?: "demo-logs";
    user_config: {
        /** Form of the events */
        format: "env_sensor" | "financial" | "nginx" | "json" | "apache_common" | "apache_error" | "bsd_syslog" | "syslog" | "http_metrics" | "generic_metrics";
    };
};
export type SourceFluent = {
    "type"?: "fluent";
    user_config?: {
        /** Rule by which a body becomes events */
        decoding?: "bytes" | "json" | "ndjson";
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceHttp = {
    "type"?: "http";
    user_config?: {
        /** Rule by which a body becomes events. bytes (or text): one per line. json: one for the body, or one per element of an array. ndjson: one per line of JSON. auto: the first that fits of json, ndjson and bytes, but not bytes if the content type is application/json */
        decoding?: "bytes" | "json" | "ndjson" | "auto" | "text";
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceKafka = {
    "type"?: "kafka";
    user_config: {
        /** Brokers through which the others of the cluster are found */
        brokers: {
            /** Host name or address */
            host: string;
            /** Port */
            port: number;
        }[];
        /** Encrypt the connections to the brokers */
        tls_enabled?: boolean;
        /** Log in to the brokers with a user name and a password */
        sasl_enabled?: boolean;
        /** User name; required when sasl_enabled, otherwise left out */
        sasl_username?: string;
        /** Password; required when sasl_enabled, otherwise left out */
        sasl_password?: string;
        /** Method that proves the password; empty or left out: PLAIN when sasl_enabled */
        sasl_mechanism?: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "";
        /** Topics to read; a name that starts with ^ is a pattern */
        topics: string[];
        /** Consumer group */
        group_id: string;
        /** Rule by which the value of a record becomes events */
        decoding_codec?: "bytes" | "json";
    };
};
export type SourceKinesisFirehose = {
    "type"?: "kinesis-firehose";
    user_config?: {
        /** Form of a record's data */
        format?: "text" | "json";
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceLogAnalysis = {
    "type"?: "log-analysis";
    user_config?: {};
};
export type SourceLogAnalysisIngestion = {
    "type"?: "log-analysis-ingestion";
    user_config?: {};
};
export type SourceLogstash = {
    "type"?: "logstash";
    user_config?: {
        /** Form of a body: one JSON value, or lines of text */
        format?: "json" | "text";
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceOpenTelemetryLogs = {
    "type"?: "open-telemetry-logs";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceOpenTelemetryMetrics = {
    "type"?: "open-telemetry-metrics";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceOpenTelemetryTraces = {
    "type"?: "open-telemetry-traces";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourcePrometheusRemoteWrite = {
    "type"?: "prometheus-remote-write";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceS3 = {
    "type"?: "s3";
    user_config: {
        /** Access key of an AWS user */
        auth: {
            /** Access key id */
            access_key_id: string;
            /** Secret access key */
            secret_access_key: string;
        };
        /** AWS region, such as eu-central-1 */
        region: string;
        /** Address of the queue with the notices */
        sqs_queue_url: string;
        /** Compression of the objects; auto looks at their names and content */
        compression?: "auto" | "gzip" | "none" | "zstd";
    };
};
export type SourceSplunkHec = {
    "type"?: "splunk-hec";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type SourceSqs = {
    "type"?: "sqs";
    user_config: {
        /** Address of the queue */
        queue_url: string;
        /** Access key of an AWS user */
        auth: {
            /** Access key id */
            access_key_id: string;
            /** Secret access key */
            secret_access_key: string;
        };
        /** AWS region, such as eu-central-1 */
        region: string;
    };
};
export type SourceWebhook = {
    "type"?: "webhook";
    user_config?: {
        /** Whether headers and query of a request become metadata of its events; they do unless this is false */
        capture_metadata?: boolean;
    };
};
export type NodeOutput = {
    id: string;
    label: string;
};
export type NodeRecord = {
    id: string;
    title: string | null;
    description: string | null;
    account_id: string;
    pipeline_id: string;
    generation_id: number;
    "type": string;
    deploy_type: string;
    user_config: object;
    /** Absent on sources. */
    inputs?: string[];
    /** Absent on sinks. */
    outputs?: NodeOutput[];
    gateway_route_id?: string | null;
    access_keys?: unknown[];
    access_keys_user_provided?: boolean;
    durability_profile?: null;
};
export type NodeRecordEnvelope = {
    meta: Meta;
    data: NodeRecord;
};
export type NodeRecordListEnvelope = {
    meta: Meta;
    data: NodeRecord[];
};
export type NodeReplace = {
    "type"?: string;
    title?: string | null;
    description?: string | null;
    /** Options of the type; docs/nodes.md lists them. */
    user_config?: object;
    /** Output ids of other nodes; not allowed on sources. */
    inputs?: string[] | null;
    /** Gateway route that a push source shares with others; it cannot be changed. */
    gateway_route_id?: string | null;
    /** Older name of `gateway_route_id`, which takes precedence. */
    shared_source_id?: string | null;
};
export type TransformDropFields = {
    "type"?: "drop-fields";
    user_config: {
        /** Fields to remove, in order */
        fields: string[];
    };
};
export type Comparison = {
    field: string;
    str_operator: "exists" | "equal" | "greater" | "greater_or_equal" | "less" | "less_or_equal" | "contains" | "starts_with" | "ends_with" | "regex_match" | "is_ip_in_cidr_range" | "is_array" | "is_boolean" | "is_number" | "is_object" | "is_string" | "is_null" | "is_empty" | "is_metric" | "percent_change_greater" | "percent_change_greater_or_equal" | "percent_change_less" | "percent_change_less_or_equal" | "value_change_greater" | "value_change_greater_or_equal" | "value_change_less" | "value_change_less_or_equal" | "not_exists" | "not_equal" | "not_contains" | "not_regex_match";
    value?: string | number;
    /** Turns the comparison round */
    negate?: boolean;
    /** Whether the case of letters matters */
    case_sensitive?: boolean;
};
export type Condition = {
    expressions: (Comparison | Condition)[];
    logical_operation?: "AND" | "OR";
};
export type TransformFilter = {
    "type"?: "filter";
    user_config: {
        /** allow: events that meet the condition pass, all others are dropped. drop: the other way round */
        action: "allow" | "drop";
        /** Condition on the event */
        conditional: Condition;
    };
};
export type TransformReduce = {
    "type"?: "reduce";
    user_config?: {
        /** Span from the first event on, in milliseconds */
        duration_ms?: number;
        /** Number of events after which the result is emitted */
        max_events?: number;
        /** Fields whose values make a group; all events are one group when absent */
        group_by?: string[];
        /** Fields to be read as dates: the first and the last are kept */
        date_formats?: {
            /** Field that holds a date */
            field: string;
            /** strftime text */
            format: string;
        }[];
        /** Rules for fields that are not merged by default */
        merge_strategies?: {
            /** Field to merge */
            field: string;
            /** Rule by which its values are merged */
            strategy: "array" | "shortest_array" | "longest_array" | "flat_unique" | "concat" | "concat_newline" | "concat_raw" | "discard" | "retain" | "min" | "max" | "sum";
        }[];
        /** Conditions that end a result early */
        flush_condition?: {
            /** Whether an event that meets the condition is the first or the last of its result */
            when: "starts_when" | "ends_when";
            /** Condition on the incoming event */
            conditional: Condition;
        };
    };
};
export type TransformRoute = {
    "type"?: "route";
    user_config: {
        /** Outputs with the conditions that lead to them */
        conditionals: {
            /** Name shown for the output */
            label: string;
            /** Condition on the event */
            conditional: Condition;
            /** Given by the server */
            _output_name?: string;
        }[];
    };
};
export type TransformSetTimestamp = {
    "type"?: "set-timestamp";
    user_config: {
        /** Fields and formats, in order of trial */
        parsers: {
            /** Field with the time */
            field: string;
            /** Form of the time */
            options: {
                /** strftime text, or Custom */
                format: string;
                /** strftime text, for Custom */
                custom_format?: string;
            };
        }[];
    };
};
export type TransformThrottle = {
    "type"?: "throttle";
    user_config: {
        /** Limit: events that pass within one window, per bucket */
        threshold: number;
        /** Window, in milliseconds */
        window_ms?: number;
        /** Window as text, such as 250ms, 1s, 1min or 2h; in place of window_ms */
        window?: string;
        /** Field whose value says which bucket an event belongs to */
        key_field?: string;
        /** Events that always pass and are not counted */
        exclude?: Condition;
    };
};
export type TransformAggregate = {
    "type"?: "aggregate" | "aggregate-v2";
    user_config: {
        /** Windows of time */
        window: {
            /** tumbling: one after the other. sliding: overlapping, opened by events */
            "type": "tumbling" | "sliding";
            /** Length of a window, in seconds */
            interval: number;
            /** Shortest distance between the starts of two sliding windows, in seconds */
            window_min?: number;
        };
        /** Function to compute */
        evaluate: {
            /** Rule by which an event is merged into the window */
            operation: "DEFAULT" | "SUM" | "MIN" | "MAX" | "AVG" | "SET_INTERSECTION" | "DIST_CONCAT" | "CUSTOM";
            /** For CUSTOM: one JavaScript function of accumulator, event, metadata and annotations */
            script?: string;
        };
        /** Condition on the window that emits it early */
        conditional?: Condition;
        /** Fields whose values make a group; name, namespace and tags of a metric when absent */
        group_by?: string[];
        /** Field with the time of the event */
        event_timestamp?: string;
    };
};
export type TransformCompactFields = {
    "type"?: "compact-fields";
    user_config: {
        /** Fields to compact */
        fields: string[];
        /** Further values that count as empty, in addition to nulls and "" */
        options?: {
            /** Remove arrays without elements */
            compact_array?: boolean;
            /** Remove objects without members */
            compact_object?: boolean;
        };
    };
};
export type TransformDataProfiler = {
    "type"?: "data-profiler";
    user_config: {
        /** Fields that may contain the name of the app, in order of trial */
        app_fields: string[];
        /** Fields that may contain the name of the host, in order of trial */
        host_fields: string[];
        /** Fields that may contain the level, in order of trial */
        level_fields: string[];
        /** Fields that may contain the line, in order of trial */
        line_fields: string[];
        /** Fields that contain labels; they are not profiled */
        label_fields?: string[];
    };
};
export type TransformDecryptFields = {
    "type"?: "decrypt-fields";
    user_config: {
        /** Field to decrypt */
        field: string;
        /** Cipher, key length and mode */
        algorithm: "AES-128-CFB" | "AES-192-CFB" | "AES-256-CFB" | "AES-128-OFB" | "AES-192-OFB" | "AES-256-OFB" | "AES-128-CTR" | "AES-192-CTR" | "AES-256-CTR" | "AES-128-CBC-PKCS7" | "AES-192-CBC-PKCS7" | "AES-256-CBC-PKCS7" | "AES-128-CBC-ANSIX923" | "AES-192-CBC-ANSIX923" | "AES-256-CBC-ANSIX923" | "AES-128-CBC-ISO7816" | "AES-192-CBC-ISO7816" | "AES-256-CBC-ISO7816" | "AES-128-CBC-ISO10126" | "AES-192-CBC-ISO10126" | "AES-256-CBC-ISO10126";
        /** Key, as many characters as the algorithm wants */
        key: string;
        /** Field that contains the initialisation vector */
        iv_field: string;
        /** Read base64, not one character per byte */
        decode_raw_bytes?: boolean;
    };
};
export type TransformDedupe = {
    "type"?: "dedupe";
    user_config: {
        /** Fields to compare, or to leave out of the comparison */
        fields: string[];
        /** Number of distinct events that are remembered */
        number_of_events?: number;
        /** Match: compare the fields. Ignore: compare the message without them */
        comparison_type?: "Match" | "Ignore";
    };
};
export type TransformEncryptFields = {
    "type"?: "encrypt-fields";
    user_config: {
        /** Field to encrypt: a string, number or boolean */
        field: string;
        /** Cipher, key length and mode */
        algorithm: "AES-128-CFB" | "AES-192-CFB" | "AES-256-CFB" | "AES-128-OFB" | "AES-192-OFB" | "AES-256-OFB" | "AES-128-CTR" | "AES-192-CTR" | "AES-256-CTR" | "AES-128-CBC-PKCS7" | "AES-192-CBC-PKCS7" | "AES-256-CBC-PKCS7" | "AES-128-CBC-ANSIX923" | "AES-192-CBC-ANSIX923" | "AES-256-CBC-ANSIX923" | "AES-128-CBC-ISO7816" | "AES-192-CBC-ISO7816" | "AES-256-CBC-ISO7816" | "AES-128-CBC-ISO10126" | "AES-192-CBC-ISO10126" | "AES-256-CBC-ISO10126";
        /** Key, as many characters as the algorithm wants */
        key: string;
        /** Field that receives the initialisation vector */
        iv_field: string;
        /** Write base64, not one character per byte */
        encode_raw_bytes?: boolean;
    };
};
export type TransformEventToMetric = {
    "type"?: "event-to-metric";
    user_config: {
        /** Name of the metric */
        metric_name: string;
        /** incremental: values add up. absolute: each replaces the one before */
        metric_kind: "incremental" | "absolute";
        /** Class of the value */
        metric_type: "counter" | "sum" | "gauge";
        /** Value of the metric */
        value: {
            /** Origin of the value */
            value_type: "field" | "value";
            /** A field, or the number itself */
            value: unknown;
        };
        /** Namespace of the metric */
        "namespace"?: {
            /** Origin of the namespace */
            value_type: "none" | "field" | "value";
            /** A field, or the namespace itself */
            value?: string;
        };
        /** Tags of the metric; of two with one name the last holds */
        tags?: {
            /** Name of the tag */
            name: string;
            /** Origin of the tag */
            value_type: "field" | "value";
            /** A field, or the text of the tag itself */
            value: string;
        }[];
    };
};
export type TransformFlattenFields = {
    "type"?: "flatten-fields";
    user_config?: {
        /** Fields to flatten; none means the whole message */
        fields?: string[];
        /** Form of the joined keys */
        options?: {
            /** Character between joined keys */
            delimiter?: string;
        };
    };
};
export type TransformJsScript = {
    "type"?: "js-script" | "script-execution";
    user_config: {
        /** One JavaScript function of message, metadata, timestamp and annotations */
        script: string;
    };
};
export type TransformMapFields = {
    "type"?: "map-fields";
    user_config: {
        /** Mappings; each works on the result of the previous one */
        mappings: {
            /** Field to copy from */
            source_field: string;
            /** Field to copy to */
            target_field: string;
            /** Move instead of copy */
            drop_source?: boolean;
            /** Replace a target that is there already */
            overwrite_target?: boolean;
        }[];
    };
};
export type TransformMetricsTagCardinalityLimit = {
    "type"?: "metrics-tag-cardinality-limit";
    user_config: {
        /** Distinct values per tag */
        value_limit: number;
        /** Part to drop when a tag has too many values */
        action?: "drop_event" | "drop_tag";
        /** probabilistic needs less memory and allows slightly more values */
        mode?: "exact" | "probabilistic" | "probabalistic";
        /** Tags to limit; all when absent or empty */
        tags?: string[];
        /** Tags to leave alone */
        exclude_tags?: string[];
    };
};
export type TransformParse = {
    "type"?: "parse";
    user_config: {
        /** Field that holds the text; empty for the whole message */
        field: string;
        /** Field that receives the result; empty for the field itself */
        target_field?: string;
        /** Parser of the text */
        parser: "parse_apache_log" | "parse_cef" | "parse_csv" | "parse_grok" | "parse_key_value" | "parse_nginx_log" | "parse_regex" | "parse_timestamp" | "parse_aws_alb_log" | "parse_aws_cloudwatch_log_subscription_message" | "parse_aws_vpc_flow_log" | "parse_common_log" | "parse_glog" | "parse_int" | "parse_json" | "parse_klog" | "parse_linux_authorization" | "parse_query_string" | "parse_syslog" | "parse_tokens" | "parse_url" | "parse_user_agent";
        /** Options of the parser, if it has any */
        options?: object;
    };
};
export type TransformParseSequentially = {
    "type"?: "parse-sequentially";
    user_config: {
        /** Field that holds the text; empty for the whole message */
        field: string;
        /** Field that receives the result; empty for the field itself */
        target_field?: string;
        /** Parsers, in order of trial */
        parsers: {
            /** Parser of the text */
            parser: "parse_apache_log" | "parse_cef" | "parse_csv" | "parse_grok" | "parse_key_value" | "parse_nginx_log" | "parse_regex" | "parse_timestamp" | "parse_aws_alb_log" | "parse_aws_cloudwatch_log_subscription_message" | "parse_aws_vpc_flow_log" | "parse_common_log" | "parse_glog" | "parse_int" | "parse_json" | "parse_klog" | "parse_linux_authorization" | "parse_query_string" | "parse_syslog" | "parse_tokens" | "parse_url" | "parse_user_agent";
            /** Options of the parser, if it has any */
            options?: object;
            /** Name shown for the output */
            label?: string;
            /** Given by the server */
            _output_name?: string;
        }[];
    };
};
export type TransformRedact = {
    "type"?: "redact" | "mask-pii";
    user_config: {
        /** Field to search; the whole message when absent */
        field?: string;
        /** Patterns; each works on the result of the previous one */
        patterns: {
            /** Kind of text to find */
            pattern: "credit_card" | "email_address" | "ipv4_address" | "phone_number" | "us_social_security_number" | "custom";
            /** For custom: expression to find */
            expression?: string;
            /** Action on each match */
            action: "replace" | "hash" | "detect_only";
            /** For replace: the replacement text; [REDACTED] when absent */
            replacement?: string;
            /** For hash: the digest that is put in its place; sha2 when absent */
            hash_algorithm?: "md5" | "sha1" | "sha2" | "sha3";
        }[];
        /** Note in the metadata which patterns were found */
        pii_presence?: boolean;
    };
};
export type TransformSample = {
    "type"?: "sample";
    user_config?: {
        /** One of how many passes */
        rate?: number;
        /** Comparison; events that meet it pass and are not counted */
        always_include?: Comparison;
    };
};
export type TransformStringify = {
    "type"?: "stringify";
    user_config?: {};
};
export type TransformTraceSampling = {
    "type"?: "trace-sampling";
    user_config: {
        /** head: the first span of a trace decides, by counting. tail: the root decides, by conditions */
        sample_type: "head" | "tail";
        /** Field with the id of the trace */
        trace_id_field?: string;
        /** head: one of how many traces is kept; 10 when absent */
        rate?: number;
        /** tail: field with the id of the parent span; .parent_span_id when absent */
        parent_span_id_field?: string;
        /** tail: rules in order of trial; the first that is met decides */
        conditionals?: {
            /** One of how many traces is kept */
            rate: number;
            /** Condition on the root span */
            conditional: Condition;
            /** Name of the rule; given by the server when empty */
            _output_name?: string;
        }[];
    };
};
export type TransformUnroll = {
    "type"?: "unroll";
    user_config: {
        /** Array to unroll, such as .items */
        field: string;
        /** Emit the bare elements, not copies of the event around them */
        values_only?: boolean;
    };
};
export type SinkLogAnalysis = {
    "type"?: "log-analysis" | "mezmo" | "log-store";
    user_config?: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Host of log ingestion; this installation's own when left out */
        host?: string;
        /** Alias of host, for older clients */
        mezmo_host?: string;
        /** Send with ingestion_key; true when left out and a key is there */
        use_ingestion_key?: boolean;
        /** Ingestion key of this account, to which lines go; with a key of another account the node cannot be published */
        ingestion_key?: string;
        /** Origin of lines */
        query?: {
            /** Host that lines are from; the id of the type when left out */
            hostname?: string;
            /** Tags of lines; may refer to fields */
            tags?: string[];
            /** Address of the host; may refer to fields */
            ip?: string;
            /** Network card of the host; may refer to fields */
            mac?: string;
        };
        /** Parts of lines */
        message?: {
            /** Whether the members of a line are named here or taken over from the event */
            scheme: "Explicit field selection" | "Message pass-through";
            /** Text of the line: a path, or a text that refers to fields */
            line?: string;
            /** Application of the line; may refer to fields */
            app?: string;
            /** File of the line; may refer to fields */
            file?: string;
            /** Environment of the line; may refer to fields */
            env?: string;
            /** Field that holds the meta data of the line */
            meta_field?: string;
            /** Field that holds the time of the line */
            timestamp_field?: string;
        };
    };
};
export type SinkBlackhole = {
    "type"?: "blackhole";
    user_config?: {
        /** Acknowledge an event once it is discarded */
        ack_enabled?: boolean;
    };
};
export type SinkAzureBlobStorage = {
    "type"?: "azure-blob-storage";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Container to write to */
        container_name: string;
        /** Connection string of the account */
        connection_string: string;
        /** Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d) */
        prefix?: string;
        /** Form of an event: JSON, or a text as it is */
        encoding?: "json" | "text";
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Age at which a batch is sent however small it is, in seconds */
        batch_timeout_secs?: number;
        /** Joining of small objects into larger ones */
        file_consolidation?: {
            /** Join small objects */
            enabled?: boolean;
            /** Time from one look for small objects to the next, in seconds */
            process_every_seconds?: number;
            /** Objects below this size are joined, in bytes */
            requested_size_bytes?: number;
            /** Only objects below this path are joined; empty for all of them */
            base_path?: string;
        };
    };
};
export type SinkDatadogLogs = {
    "type"?: "datadog-logs";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** API key of the account */
        api_key: string;
        /** Site of the account */
        site: "us1" | "us3" | "us5" | "eu1";
        /** Compression of sent data */
        compression: "none" | "gzip";
    };
};
export type SinkDatadogMetrics = {
    "type"?: "datadog-metrics";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** API key of the account */
        api_key: string;
        /** Site of the account */
        site: "us1" | "us3" | "us5" | "eu1";
    };
};
export type SinkElasticsearch = {
    "type"?: "elasticsearch";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Base addresses, used in turn */
        endpoints: string[];
        /** Credentials for the destination */
        auth: {
            /** Method by which the sender proves who it is */
            strategy: "basic" | "aws";
            /** User name; required when strategy is "basic" */
            user?: string;
            /** Password; required when strategy is "basic" */
            password?: string;
            /** Id of the access key; required when strategy is "aws" */
            access_key_id?: string;
            /** Secret of the access key; required when strategy is "aws" */
            secret_access_key?: string;
            /** Region that requests are signed for; required when strategy is "aws" */
            region?: string;
        };
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Index of a document; may refer to fields and to the time of the event (%Y, %m, %d) */
        index?: string;
        /** Ingest pipeline that documents pass */
        pipeline?: string;
    };
};
export type SinkGcpCloudMonitoring = {
    "type"?: "gcp-cloud-monitoring";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Project to write to */
        project_id: string;
        /** Type of the monitored resource, such as global */
        resource_type: string;
        /** Labels of the monitored resource, by distinct names */
        resource_labels?: {
            /** Name of the label */
            label_name: string;
            /** Value of the label */
            label_value: string;
        }[];
        /** Key file of a service account, as JSON text */
        credentials_json: string;
    };
};
export type SinkGcpCloudOperations = {
    "type"?: "gcp-cloud-operations";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Log to write to */
        log_id: string;
        /** Project to write to */
        project_id: string;
        /** Type of the monitored resource, such as global */
        resource_type: string;
        /** Labels of the monitored resource, by distinct names */
        resource_labels?: {
            /** Name of the label */
            label_name: string;
            /** Value of the label */
            label_value: string;
        }[];
        /** Key file of a service account, as JSON text */
        credentials_json: string;
    };
};
export type SinkGcpCloudPubsub = {
    "type"?: "gcp-cloud-pubsub";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Project of the topic */
        project_id: string;
        /** Topic to publish to */
        topic: string;
        /** Key file of a service account, as JSON text */
        credentials_json: string;
        /** Form of an event: JSON, or a text as it is */
        encoding?: "json" | "text";
    };
};
export type SinkGcpCloudStorage = {
    "type"?: "gcp-cloud-storage";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Bucket to write to */
        bucket: string;
        /** Key file of a service account, as JSON text */
        credentials_json: string;
        /** Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d) */
        bucket_prefix?: string;
        /** Form of an event: JSON, or a text as it is */
        encoding?: "json" | "text";
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Age at which a batch is sent however small it is, in seconds */
        batch_timeout_secs?: number;
    };
};
export type SinkHoneycombLogs = {
    "type"?: "honeycomb-logs";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** API key that may send events */
        api_key: string;
        /** Dataset to send to */
        dataset: string;
    };
};
export type SinkHttp = {
    "type"?: "http";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Address that requests go to */
        uri: string;
        /** Form of the events: one JSON array, a line of JSON each, or a text as it is */
        encoding?: "json" | "ndjson" | "text";
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Credentials for the destination */
        auth?: {
            /** Method by which the sender proves who it is */
            strategy: "none" | "basic" | "bearer";
            /** User name; required when strategy is "basic" */
            user?: string;
            /** Password; required when strategy is "basic" */
            password?: string;
            /** Token; required when strategy is "bearer" */
            token?: string;
        };
        /** Headers of every request */
        headers?: {
            /** Name of the header */
            header_name: string;
            /** Value of the header */
            header_value: string;
        }[];
        /** Options that most servers do not need */
        advanced_options?: {
            /** Size of a request before compression, in bytes; 1000000 when left out */
            max_bytes?: number;
            /** Time for a request and its answer, in seconds, up to 600; 60 when left out */
            timeout_secs?: number;
            /** Method of requests; post when left out */
            method?: "post" | "put" | "patch" | "delete" | "get" | "head" | "options" | "trace";
            /** Text before the JSON array; json encoding only */
            payload_prefix?: string;
            /** Text behind the JSON array; json encoding only */
            payload_suffix?: string;
            /** Protocols to agree on with the server (ALPN), the preferred one first */
            tls_protocols?: string[];
            /** Proxy between this installation and the server */
            proxy?: {
                /** Send through the proxy */
                enabled?: boolean;
                /** Address of the proxy */
                endpoint?: string;
                /** Hosts that are reached directly: names, .suffixes, address blocks, or * for all */
                hosts_bypass_proxy?: string[];
            };
            /** Bound on requests: more of them wait */
            rate_limiting?: {
                /** Requests within one span; unlimited when left out */
                request_limit?: number;
                /** Length of the span, in seconds; 1 when left out */
                duration_secs?: number;
            };
        };
    };
};
export type SinkKafka = {
    "type"?: "kafka";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Brokers through which the others of the cluster are found */
        brokers: {
            /** Host name or address */
            host: string;
            /** Port */
            port: number;
        }[];
        /** Encrypt the connections to the brokers */
        tls_enabled?: boolean;
        /** Log in to the brokers with a user name and a password */
        sasl_enabled?: boolean;
        /** User name; required when sasl_enabled, otherwise left out */
        sasl_username?: string;
        /** Password; required when sasl_enabled, otherwise left out */
        sasl_password?: string;
        /** Method that proves the password; empty or left out: PLAIN when sasl_enabled */
        sasl_mechanism?: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "";
        /** Certificate that the brokers are verified with, as PEM */
        tls_ca_certificate?: string;
        /** Verify the certificates of the brokers; true when left out */
        tls_verify_certificate?: boolean;
        /** Topic to write to */
        topic: string;
        /** Form of an event: JSON, or a text as it is */
        encoding?: "json" | "text";
        /** Compression of the batches of records */
        compression?: "gzip" | "lz4" | "snappy" | "zstd" | "none";
        /** Field whose value becomes the key of the record */
        event_key_field?: string;
        /** Accepted and not used */
        group_id?: string;
    };
};
export type SinkLoki = {
    "type"?: "loki";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Base address of Loki */
        endpoint: string;
        /** Path of the push API, behind the base address */
        path?: string;
        /** Form of the line of an entry */
        encoding: {
            /** Form of an event: JSON, or a text as it is */
            codec: "json" | "text";
        };
        /** Credentials for the destination */
        auth: {
            /** Method by which the sender proves who it is */
            strategy: "basic" | "bearer" | "none";
            /** User name; required when strategy is "basic" */
            user?: string;
            /** Password; required when strategy is "basic" */
            password?: string;
            /** Token; required when strategy is "bearer" */
            token?: string;
        };
        /** Labels that distinguish streams; names and values may refer to fields */
        labels: {
            /** Name of the label */
            label_name: string;
            /** Value of the label */
            label_value: string;
        }[];
    };
};
export type SinkNewRelic = {
    "type"?: "new-relic";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Account to send to */
        account_id: string;
        /** License key of the account */
        license_key: string;
        /** API to send to, which determines the form of the events */
        api?: "logs" | "metrics" | "events";
    };
};
export type SinkPrometheusRemoteWrite = {
    "type"?: "prometheus-remote-write";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Address to write to, with its path */
        endpoint: string;
        /** Credentials for the destination */
        auth?: {
            /** Method by which the sender proves who it is */
            strategy: "none" | "basic" | "bearer";
            /** User name; required when strategy is "basic" */
            user?: string;
            /** Password; required when strategy is "basic" */
            password?: string;
            /** Token; required when strategy is "bearer" */
            token?: string;
        };
    };
};
export type SinkS3 = {
    "type"?: "s3";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Access key that may write to the bucket */
        auth: {
            /** Id of the access key */
            access_key_id: string;
            /** Secret of the access key */
            secret_access_key: string;
        };
        /** Region of the bucket */
        region: string;
        /** Bucket to write to */
        bucket: string;
        /** Begin of the names of objects; may refer to fields and to the time (%Y, %m, %d) */
        prefix?: string;
        /** Form of the events: one JSON array, a line of JSON each, or a text as it is */
        encoding?: "json" | "ndjson" | "text";
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Age at which a batch is sent however small it is, in seconds */
        batch_timeout_secs?: number;
        /** Joining of small objects into larger ones */
        file_consolidation?: {
            /** Join small objects */
            enabled?: boolean;
            /** Time from one look for small objects to the next, in seconds */
            process_every_seconds?: number;
            /** Objects below this size are joined, in bytes */
            requested_size_bytes?: number;
            /** Only objects below this path are joined; empty for all of them */
            base_path?: string;
        };
        /** Tags of every object */
        tags?: {
            /** Name of the tag */
            name: string;
            /** Value of the tag */
            value: string;
        }[];
        /** Address of another service that speaks like S3 */
        endpoint?: string;
    };
};
export type SinkSplunkHecLogs = {
    "type"?: "splunk-hec-logs";
    user_config: {
        /** Acknowledge events only once the destination has confirmed them */
        ack_enabled?: boolean;
        /** Base address of Splunk; the path of the collector is added */
        url: string;
        /** Token of the collector */
        token: string;
        /** Verify the certificate of the server */
        tls_verify_certificate?: boolean;
        /** Compression of sent data */
        compression?: "gzip" | "none";
        /** Field that holds the host of the event */
        host_field?: string;
        /** Field that holds the time of the event */
        timestamp_field?: string;
        /** Source of the event, such as a file name */
        source?: {
            /** Origin of the value */
            value_type: "none" | "field" | "value";
            /** Path of the field, or the value itself */
            value?: string;
        };
        /** Source type of the event */
        sourcetype?: {
            /** Origin of the value */
            value_type: "none" | "field" | "value";
            /** Path of the field, or the value itself */
            value?: string;
        };
        /** Index that the event is stored in */
        index?: {
            /** Origin of the value */
            value_type: "none" | "field" | "value";
            /** Path of the field, or the value itself */
            value?: string;
        };
    };
};
export type LineRecord = {
    _id: string;
    _account: string;
    /** UNIX milliseconds. */
    _ts: number;
    _host: string;
    _app: string;
    _line: string;
    level: string;
    _logtype: string;
    _retention: number;
    _mezmo_line_size: number;
    [key: string]: unknown;
};
export type TailedLines = {
    e: "p";
    /** Lines, in the order of acceptance. */
    p: LineRecord[];
};
export type TailGap = {
    e: "meta";
    p: {
        /** Lines that could not be sent, since the last such message; 0 if lines were only thinned. */
        dropped: number;
        /** Number of them that were not compared with the conditions of the tail. */
        not_filtered?: number;
        /** Lines beyond max_per_s, which were left out since the last such message. */
        thinned?: number;
    };
};
export type Headers = {
    [key: string]: string;
};
export type ChannelRecord = {
    integration: "email";
    /** Ten hexadecimal digits, new with every write. */
    alertid: string;
    operator: "presence" | "absence";
    triggerlimit: number;
    triggerinterval: string;
    immediate: boolean;
    terminal: boolean;
    timezone?: string;
    blackout?: object;
    emails: string[];
} | {
    integration: "pagerduty";
    /** Ten hexadecimal digits, new with every write. */
    alertid: string;
    operator: "presence" | "absence";
    triggerlimit: number;
    triggerinterval: string;
    immediate: boolean;
    terminal: boolean;
    timezone?: string;
    blackout?: object;
    key: string;
    autoresolve?: boolean;
    autoresolvelimit?: number;
    autoresolveinterval?: string;
} | {
    integration: "slack";
    /** Ten hexadecimal digits, new with every write. */
    alertid: string;
    operator: "presence" | "absence";
    triggerlimit: number;
    triggerinterval: string;
    immediate: boolean;
    terminal: boolean;
    timezone?: string;
    blackout?: object;
    url: string;
    color?: string;
} | {
    integration: "webhook";
    /** Ten hexadecimal digits, new with every write. */
    alertid: string;
    operator: "presence" | "absence";
    triggerlimit: number;
    triggerinterval: string;
    immediate: boolean;
    terminal: boolean;
    timezone?: string;
    blackout?: object;
    url: string;
    method: "post" | "put" | "patch" | "get" | "delete";
    headers: Headers;
    /** JSON text, indented by two blanks. */
    bodyTemplate?: string;
};
export type ViewRecord = {
    viewid: string;
    account: string;
    name: string;
    query: string;
    hosts: string[];
    apps: string[];
    tags: string[];
    levels: string[];
    category: string[];
    /** Id of the preset alert, if the view has one. */
    presetids: string[];
    /** Channels of the view; with a preset alert, the present channels of that alert. */
    channels: ChannelRecord[];
    /** Always empty. */
    orgs: string[];
};
export type CategoryNames = string[];
export type EmailAddress = string;
export type Uri = string;
export type HeadersWrite = {
    [key: string]: string;
};
export type ChannelWrite = {
    integration: "email" | "pagerduty" | "slack" | "webhook";
    operator?: "presence" | "absence";
    /** Number of matching lines, 1 to 100000; default: 1. May be sent as a string. */
    triggerlimit?: number | string;
    /** 30, 1m, 5m, 15m, 30m, 1h, 6h, 12h, 24h, 25h; 30 means thirty seconds and is not allowed with the operator absence. */
    triggerinterval?: "1m" | "5m" | "15m" | "30m" | "1h" | "6h" | "12h" | "24h" | "25h" | "30" | 30;
    /** Whether to alert as soon as the limit is reached; default: false. May be sent as a string. */
    immediate?: true | false | "true" | "false";
    /** Whether to alert at the end of the interval; default: true. May be sent as a string. */
    terminal?: true | false | "true" | "false";
    /** Time zone, a name of the tz database. */
    timezone?: string;
    /** Times of the day and days of the week without alerts. */
    blackout?: object;
} & ({
    integration: "email";
    /** May be sent as one string with commas. */
    emails: EmailAddress[] | string;
} | {
    integration: "pagerduty";
    key: string;
    autoresolve?: true | false | "true" | "false";
    autoresolvelimit?: number | string;
    /** 30, 1m, 5m, 15m, 30m, 1h, 6h, 12h, 24h, 25h; 30 means thirty seconds and is not allowed with the operator absence. */
    autoresolveinterval?: "1m" | "5m" | "15m" | "30m" | "1h" | "6h" | "12h" | "24h" | "25h" | "30" | 30;
} | {
    integration: "slack";
    url: Uri;
    color?: string;
} | {
    integration: "webhook";
    url: Uri;
    method?: "post" | "put" | "patch" | "get" | "delete";
    headers?: HeadersWrite;
    /** An object, or a string that contains JSON. */
    bodyTemplate?: object | string;
});
export type ViewWrite = {
    name: string;
    query?: string;
    hosts?: string[];
    apps?: string[];
    levels?: string[];
    tags?: string[];
    category?: CategoryNames;
    /** Id of a preset alert. */
    presetid?: string;
    channels?: ChannelWrite[];
} & ({
    query: string;
} | {
    hosts: string[];
} | {
    apps: string[];
} | {
    levels: string[];
} | {
    tags: string[];
});
export type Deleted = {
    deleted: true;
};
export type PresetAlertRecord = {
    presetid: string;
    account: string;
    name: string;
    channels: ChannelRecord[];
    _created: string;
    _modified: string;
};
export type PresetAlertWrite = {
    name: string;
    channels?: ChannelWrite[];
};
export type CategoryRecord = {
    id: string;
    "type": "views" | "boards" | "screens";
    name: string;
};
export type CategoryWrite = {
    name: string;
};
export type BoardGraph = {
    /** Ten hexadecimal digits. */
    graphid: string;
    "type": "line" | "bar" | "table" | "count";
    title?: string;
    query?: string;
    hosts?: string[];
    apps?: string[];
    levels?: string[];
    tags?: string[];
    field?: string;
    aggregation?: "count" | "sum" | "avg" | "min" | "max" | "p95";
    groupby?: string;
    interval?: string;
};
export type BoardRecord = {
    boardid: string;
    account: string;
    title: string;
    graphs: BoardGraph[];
    order: string[];
    category: string[];
};
export type BoardGraphWrite = {
    /** Ten hexadecimal digits. */
    graphid?: string;
    "type"?: "line" | "bar" | "table" | "count";
    title?: string;
    query?: string;
    hosts?: string[];
    apps?: string[];
    levels?: string[];
    tags?: string[];
    field?: string;
    aggregation?: "count" | "sum" | "avg" | "min" | "max" | "p95";
    groupby?: string;
    interval?: string;
};
export type BoardWrite = {
    title: string;
    graphs?: BoardGraphWrite[];
    /** Ids of graphs; the remaining graphs follow in their order. */
    order?: string[];
    category?: CategoryNames;
};
export type IndexRateWebhook = {
    url: string;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers: Headers;
    /** JSON text, indented by two blanks. */
    bodyTemplate?: string;
};
export type IndexRateAlertRecord = {
    /** Lines per second, on average over the last hour. */
    max_lines?: number;
    /** Standard deviations above the mean of the last 30 days. */
    max_z_score?: number;
    threshold_alert: "separate" | "both";
    frequency: "hourly" | "daily";
    channels: {
        email: string[];
        pagerduty: string[];
        slack: string[];
        webhook: IndexRateWebhook[];
    };
    enabled: boolean;
};
export type IndexRateWebhookWrite = {
    url: Uri;
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    headers?: HeadersWrite;
    /** An object, or a string that contains JSON. Tokens: max_lines, max_z_score, threshold_alert, frequency, current_rate, z_score, account, url, apps, hosts. */
    bodyTemplate?: object | string;
};
export type IndexRateAlertWrite = {
    /** Lines per second, on average over the last hour. */
    max_lines?: number;
    /** Standard deviations above the mean of the last 30 days. */
    max_z_score?: number;
    threshold_alert: "separate" | "both";
    frequency: "hourly" | "daily";
    channels?: {
        email?: EmailAddress[];
        pagerduty?: string[];
        slack?: Uri[];
        webhook?: IndexRateWebhookWrite[];
    };
    enabled?: boolean;
};
export type Archiving = {
    integration: "ibm" | "s3" | "azblob" | "gcs" | "dos" | "swift";
} & ({
    integration: "ibm";
    bucket: string;
    endpoint: string;
    apikey: string;
    resourceinstanceid: string;
} | {
    integration: "s3";
    bucket: string;
    endpoint?: string;
    accesskey?: string;
    secretkey?: string;
    region?: string;
} | {
    integration: "azblob";
    accountname: string;
    accountkey: string;
} | {
    integration: "gcs";
    bucket: string;
    projectid: string;
} | {
    integration: "dos";
    space: string;
    endpoint: string;
    accesskey: string;
    secretkey: string;
} | {
    integration: "swift";
    authurl: string;
    username: string;
    password: string;
    tenantname: string;
    expires?: string | number;
});
export type AccountKeyRecord = {
    id: string;
    /** The key itself, in plain text */
    key: string;
    name: string;
    "type": "ingestion" | "service";
    /** Creation time, UNIX milliseconds */
    created: number;
};
export type AccountKeyWrite = {
    name?: string;
} | null;
export type DeletedWithMessage = {
    message: string;
    deleted: true;
};
export type MemberRecord = {
    email: string;
    role: "owner" | "admin" | "member" | "readonly";
    groups: string[];
};
export type MemberCreate = {
    email: string;
    role: "admin" | "member" | "readonly";
    /** Ids of groups that limit the lines a member sees; only for the role member */
    groups?: string[];
};
export type MemberChange = {
    role?: "admin" | "member" | "readonly";
    /** Ids of groups that limit the lines a member sees; only for the role member */
    groups?: string[];
};
export type AccessGroupRecord = {
    id: string;
    account: string;
    name: string;
    accessScopes: string;
};
export type AccessGroupCreate = {
    name: string;
    /** Search query for the lines that members of the group see. Empty: none */
    accessScopes?: string;
};
export type AccessGroupChange = {
    name?: string;
    /** Search query for the lines that members of the group see. Empty: none */
    accessScopes?: string;
};
export type StreamRecord = {
    status: "active" | "inactive";
    /** host:port of brokers, through which the others of the cluster are found */
    brokers: string[];
    topic: string;
    user: string;
};
export type StreamWrite = {
    /** host:port of brokers, through which the others of the cluster are found */
    brokers: string[];
    topic: string;
    user: string;
    /** Password; never shown again */
    password: string;
};
export type IngestionStatus = {
    is_ingesting: boolean;
};
export type SuspensionOffer = {
    /** Confirms the suspension once, within 15 minutes or the time that the operator has set */
    token: string;
};
export type SuspensionConfirmation = {
    token: string;
};
export type IngestionChange = {
    status: "suspended" | "ingesting";
};
export type RetentionRecord = {
    /** 0: lines are accepted and never found */
    days: number;
};
export type RetentionWrite = {
    /** Retention in days of lines that arrive from now on, unless a retention rule applies to them */
    days: number;
};
export type IngestionExclusionRecord = {
    /** Ten hexadecimal digits */
    id: string;
    title: string;
    active: boolean;
    apps: string[];
    hosts: string[];
    query: string;
    indexonly: boolean;
};
export type IngestionExclusionCreate = {
    title?: string;
    /** Only active rules apply */
    active?: boolean;
    /** Exact names; one of them must match. Empty: any app */
    apps?: string[];
    /** Exact names; one of them must match. Empty: any host */
    hosts?: string[];
    /** Search query; empty: any line */
    query?: string;
    /** Tails and alerts still see the lines */
    indexonly?: boolean;
} & ({
    /** Exact names; one of them must match. Empty: any app */
    apps: string[];
} | {
    /** Exact names; one of them must match. Empty: any host */
    hosts: string[];
} | {
    /** Search query; empty: any line */
    query: string;
});
export type IngestionExclusionChange = {
    title?: string;
    /** Only active rules apply */
    active?: boolean;
    /** Exact names; one of them must match. Empty: any app */
    apps?: string[];
    /** Exact names; one of them must match. Empty: any host */
    hosts?: string[];
    /** Search query; empty: any line */
    query?: string;
    /** Tails and alerts still see the lines */
    indexonly?: boolean;
};
export type ExclusionRecord = {
    /** Ten hexadecimal digits */
    id: string;
    title: string;
    active: boolean;
    apps: string[];
    hosts: string[];
    query: string;
};
export type ExclusionCreate = {
    title?: string;
    /** Only active rules apply */
    active?: boolean;
    /** Exact names; one of them must match. Empty: any app */
    apps?: string[];
    /** Exact names; one of them must match. Empty: any host */
    hosts?: string[];
    /** Search query; empty: any line */
    query?: string;
} & ({
    /** Exact names; one of them must match. Empty: any app */
    apps: string[];
} | {
    /** Exact names; one of them must match. Empty: any host */
    hosts: string[];
} | {
    /** Search query; empty: any line */
    query: string;
});
export type ExclusionChange = {
    title?: string;
    /** Only active rules apply */
    active?: boolean;
    /** Exact names; one of them must match. Empty: any app */
    apps?: string[];
    /** Exact names; one of them must match. Empty: any host */
    hosts?: string[];
    /** Search query; empty: any line */
    query?: string;
};
export type RetentionRuleRecord = {
    /** Ten hexadecimal digits */
    id: string;
    name: string;
    priority: number;
    days: number;
    active: boolean;
    host: string;
    app: string;
    level: string;
    query: string;
};
export type RetentionRuleCreate = {
    name: string;
    /** Priority: of several matching rules, the one with the lowest number decides */
    priority: number;
    /** Retention of these lines in days, shorter or longer than that of the account; also the pool in which they count */
    days: number;
    /** Only active rules apply */
    active?: boolean;
    /** Exact name */
    host?: string;
    /** Exact name */
    app?: string;
    /** Case-insensitive name */
    level?: string;
    /** Search query; empty: any line */
    query?: string;
} & ({
    /** Exact name */
    host: string;
} | {
    /** Exact name */
    app: string;
} | {
    /** Case-insensitive name */
    level: string;
} | {
    /** Search query; empty: any line */
    query: string;
});
export type RetentionRuleChange = {
    name?: string;
    /** Priority: of several matching rules, the one with the lowest number decides */
    priority?: number;
    /** Retention of these lines in days, shorter or longer than that of the account; also the pool in which they count */
    days?: number;
    /** Only active rules apply */
    active?: boolean;
    /** Exact name */
    host?: string;
    /** Exact name */
    app?: string;
    /** Case-insensitive name */
    level?: string;
    /** Search query; empty: any line */
    query?: string;
};
export type QuotaLimitRecord = {
    limit: number;
    discard: boolean;
    rules: {
        percent: number;
        apps: string[];
        hosts: string[];
        query: string;
        indexonly: boolean;
        active: boolean;
    }[];
    /** Bytes stored on the present UTC day, or in the present calendar month; null while the store does not answer */
    used: number | null;
    /** The part of the quota that applies now; null: none */
    in_force: {
        until?: string;
        discard?: boolean;
        /** Numbers of the rules that apply; the first rule is 1 */
        rules?: number[];
    } | null;
};
export type QuotaRecord = {
    daily: QuotaLimitRecord;
    monthly: QuotaLimitRecord;
};
export type QuotaRuleWrite = {
    /** Percentage of the limit from which the rule applies */
    percent: number;
    /** Exact names; one of them must match. Empty: any app */
    apps?: string[];
    /** Exact names; one of them must match. Empty: any host */
    hosts?: string[];
    /** Search query; empty: any line */
    query?: string;
    /** Tails and alerts still see the lines */
    indexonly?: boolean;
    /** Only active rules apply */
    active?: boolean;
} & ({
    /** Exact names; one of them must match. Empty: any app */
    apps: string[];
} | {
    /** Exact names; one of them must match. Empty: any host */
    hosts: string[];
} | {
    /** Search query; empty: any line */
    query: string;
});
export type QuotaLimitWrite = {
    /** Bytes; 0: no limit. A change switches off its rules */
    limit?: number;
    /** Store nothing once the limit is reached; tails and alerts still see the lines */
    discard?: boolean;
    rules?: QuotaRuleWrite[];
};
export type QuotaWrite = {
    daily?: QuotaLimitWrite;
    monthly?: QuotaLimitWrite;
};
export type TokenRecord = {
    id: string;
    kind: string;
    name: string;
    /** Subject id, as in the header x-auth-subject-id. */
    subject: string;
    /** Owner of a personal token. */
    email: string | null;
    /** Scope to which it was narrowed; null: not narrowed, all rights of its subject. */
    scope: string | null;
    /** Present scope; null: none, because it has expired or its user has left. */
    right: string | null;
    created_at: string;
    /** null: never. */
    expires_at: string | null;
    /** Time until which the secret before the last rotation works. */
    previous_secret_until: string | null;
    /** Time of the last use, to within an hour; null: never. */
    last_used_at: string | null;
};
export type TokenCreate = {
    name: string;
    /** user: a personal token; service: a token of the account; enterprise: a token of the enterprise, without x-delegate-account-id. Default: the kind of the requesting token, or service when it acts for an account. */
    kind?: "user" | "service" | "enterprise";
    /** Scope; never wider than the requesting token's, which is the default. A personal token for the caller follows changes of the caller's role up to the scope of the requesting token. */
    scope?: "owner" | "admin" | "member" | "readonly" | "ingest";
    /** Expiry: an ISO 8601 date (its first instant in UTC) or date-time, a span from now such as 90d, or seconds from now; null: never. */
    expires?: string | number | null;
    /** E-mail address of the member who gets the personal token; requires an admin. Default: the caller. */
    email?: string;
};
export type IssuedToken = {
    id: string;
    kind: string;
    name: string;
    /** Subject id, as in the header x-auth-subject-id. */
    subject: string;
    /** Owner of a personal token. */
    email: string | null;
    /** Scope to which it was narrowed; null: not narrowed, all rights of its subject. */
    scope: string | null;
    /** Present scope; null: none, because it has expired or its user has left. */
    right: string | null;
    created_at: string;
    /** null: never. */
    expires_at: string | null;
    /** Time until which the secret before the last rotation works. */
    previous_secret_until: string | null;
    /** Time of the last use, to within an hour; null: never. */
    last_used_at: string | null;
    /** The secret. It is not shown again; only its hash is kept. */
    token: string;
};
export type TokenChange = {
    name?: string;
    /** New scope, narrower than the present one. */
    scope?: "owner" | "admin" | "member" | "readonly" | "ingest";
    /** Expiry: an ISO 8601 date (its first instant in UTC) or date-time, a span from now such as 90d, or seconds from now; null: never. */
    expires?: string | number | null;
};
export type TokenRotate = {
    /** Seconds during which the old secret keeps working. Default: 0, it stops at once. */
    grace_s?: number;
} | null;
export type AuditEvent = {
    /** Rises with time; changes that were made together have the same part before the dot. */
    id: string;
    at: string;
    actor: {
        /** Subject id, as in the header x-auth-subject-id. */
        id: string;
        /** user, service, enterprise, servicekey, or system (the program itself). */
        "type": string;
        email: string | null;
        name: string | null;
    };
    /** One of created, changed and removed. */
    action: string;
    kind: string;
    /** Id of the entity. */
    entity: string;
    name: string | null;
    /** JSON pointers to the changed members. */
    changed: string[];
    /** The whole entity; null if it did not exist. A text that may be a secret is shown as *** and eight digits, which differ for different secrets. */
    before: object | null;
    /** The whole entity; null if it did not exist. A text that may be a secret is shown as *** and eight digits, which differ for different secrets. */
    after: object | null;
};
export type AuditPage = {
    /** Events, newest first. */
    events: AuditEvent[];
    /** Cursor of the next page; null on the last page. */
    next: string | null;
};
export type SessionCreate = {
    /** Access token. The answer contains it in encrypted form only. */
    token?: string;
    /** Code of a sign-in link, instead of a token. It works once, for ten minutes, and from the machine of the server. */
    code?: string;
    /** true: the session lasts 30 days instead of 12 hours. Default: false. */
    stay?: boolean;
} & ({
    /** Access token. The answer contains it in encrypted form only. */
    token: string;
} | {
    /** Code of a sign-in link, instead of a token. It works once, for ten minutes, and from the machine of the server. */
    code: string;
});
export type TokenDescription = {
    subject: string;
    "type": string;
    account: string | null;
    enterprise: string | null;
    email: string | null;
    role: string;
    /** Id of the access token; null: the credential is a key. */
    token_id: string | null;
    /** Name of the access token or key. */
    name: string | null;
    /** Scope to which the token was narrowed; null: not narrowed, all rights of its subject. */
    scope: string | null;
    /** End of the credential; null: never. */
    expires_at: string | null;
    /** Whether groups limit which lines the caller sees. */
    limited: boolean;
    /** Address to which lines can be sent; null: this process does not know any. */
    ingest_url: string | null;
    /** Parts of the service that the answering process has. */
    features: {
        /** Searches and usage. */
        store: boolean;
        /** Pipelines run in this process. */
        engine: boolean;
        /** Events of pipelines can be watched. */
        taps: boolean;
        /** Lines are accepted. */
        ingest: boolean;
    };
};
export type TokenDescriptionEnvelope = {
    meta: Meta;
    data: TokenDescription;
};
export type DeletedEnvelope = {
    meta: Meta;
    data: Deleted;
};
export type AccountRecord = {
    account: string;
    account_id: string;
    enterprise_id: string | null;
    company: string;
    owneremail: string;
    plan: {
        "type": string;
        /** Absent: no limit */
        max_pipelines?: number;
        /** Absent: no limit */
        max_nodes_per_pipeline?: number;
    };
    status: string;
    retention: number;
    quota: {
        retention: number;
    };
    external_id: string | null;
    created: string;
    /** Absent: everything is on */
    features?: {
        throttle: boolean;
    };
    meta: {
        suspendIngestion: boolean;
    };
};
export type AccountRecordListEnvelope = {
    meta: Meta;
    data: AccountRecord[];
};
export type AccountRecordEnvelope = {
    meta: Meta;
    data: AccountRecord;
};
export type EnterpriseRecord = {
    enterprise: string;
    enterprise_id: string;
    name: string;
    created: string;
    accounts: AccountRecord[];
};
export type EnterpriseRecordEnvelope = {
    meta: Meta;
    data: EnterpriseRecord;
};
export type AccountCreate = {
    company: string;
    owneremail: string;
    external_id?: string | null;
    plan?: {
        "type"?: string;
        /** null: no limit */
        max_pipelines?: number | null;
        /** null: no limit */
        max_nodes_per_pipeline?: number | null;
    };
    /** Retention of lines in days; with 0 they are accepted and never found. An account with a longer retention (/v1/config/retention) shows 90, and writing 90 changes nothing */
    retention?: number;
    /** Syslog ingestion is not supported; only false is accepted. */
    enable_syslog?: false;
    features?: {
        /** The throttle processor (beta) */
        throttle?: boolean;
    };
};
export type CreatedAccount = {
    account: string;
    account_id: string;
    enterprise_id: string | null;
    company: string;
    owneremail: string;
    plan: {
        "type": string;
        /** Absent: no limit */
        max_pipelines?: number;
        /** Absent: no limit */
        max_nodes_per_pipeline?: number;
    };
    status: string;
    retention: number;
    quota: {
        retention: number;
    };
    external_id: string | null;
    created: string;
    /** Absent: everything is on */
    features?: {
        throttle: boolean;
    };
    meta: {
        suspendIngestion: boolean;
    };
    /** Ingestion key of the account */
    ingestion_key: string;
};
export type CreatedAccountEnvelope = {
    meta: Meta;
    data: CreatedAccount;
};
export type AccountChange = {
    company?: string;
    owneremail?: string;
    external_id?: string | null;
    plan?: {
        "type"?: string;
        /** null: no limit */
        max_pipelines?: number | null;
        /** null: no limit */
        max_nodes_per_pipeline?: number | null;
    };
    /** Retention of lines in days; with 0 they are accepted and never found. An account with a longer retention (/v1/config/retention) shows 90, and writing 90 changes nothing */
    retention?: number;
    /** Syslog ingestion is not supported; only false is accepted. */
    enable_syslog?: false;
    features?: {
        /** The throttle processor (beta) */
        throttle?: boolean;
    };
};
export type AttachedAccountRecord = {
    account: string;
    enterprise: string;
    retention: number;
    owner: string;
    retentionPeriods: number[];
    /** Older name of `retentionPeriods` */
    retentionTiers: number[];
    plan: string;
    /** The oldest service key of the account; empty when it has none, or when the caller may only read */
    servicekey: string;
};
export type AttachedAccountChange = {
    /** Retention of lines in days; 0 keeps the present value */
    retention?: number;
    /** E-mail address; an empty string keeps the present owner */
    owner?: string;
};
export type DetachedAccount = {
    account: string;
};
export type SpreadRecord = {
    account: string;
    /** Requested state. */
    enabled: boolean;
    phase: "off" | "turning_on" | "on" | "turning_off";
    partitions: number;
    /** Number of partitions that have applied the newest change. */
    partitions_done: number;
};
export type SpreadRecordEnvelope = {
    meta: Meta;
    data: SpreadRecord;
};
export type SpreadChange = {
    enabled: boolean;
};
export type SystemLog = {
    used_bytes: number;
    /** Null on Kafka: the brokers manage their own space, and used_bytes is 0. */
    limit_bytes: number | null;
    /** Bytes of the limit that lines do not use: they are for records that empty the log. */
    reserved_bytes: number;
    /** False while the log is full. */
    takes_ingest: boolean;
    oldest_at: string | null;
};
export type SystemStore = {
    /** False: it did not answer within 2 s, and the others are null. */
    reachable: boolean;
    bytes: number | null;
    /** Stored lines. */
    rows: number | null;
    /** UTC day of the oldest lines. */
    oldest_day: string | null;
    /** Null also if the server does not report it. */
    disk_free_bytes: number | null;
    /** Lines without a filter of their words, which searches for words read as a whole. */
    uncovered_rows: number | null;
};
export type SystemPartition = {
    topic: string;
    partition: number;
    /** Process that works on it; null: none, or none that this process knows of. */
    worker: string | null;
    /** First kept offset. */
    first: number | null;
    /** Next offset. */
    next: number | null;
    /** Records that the engine has not read; null if the worker is in another process. */
    lag_records: number | null;
    /** Records that are not in the store yet, at the last report of the worker. */
    unstored_records: number | null;
    log_time: string | null;
    /** Age of the log time while there are unread records, else 0. */
    behind_s: number | null;
    /** Reason why it does not move. */
    trouble: string | null;
};
export type SystemStatusRecord = {
    version: string;
    /** When the status was read: callers within a second share a reading. */
    read_at: string;
    started_at: string;
    roles: ("ingest" | "api" | "engine")[];
    ready: boolean;
    /** Why it is not ready, as in /readyz. */
    reasons: string[];
    log: SystemLog;
    /** Null in a process without the store. */
    store: SystemStore | null;
    partitions: SystemPartition[];
    /** Live tails that are open in this process. */
    tails: number;
    /** Taps that are open in this process. */
    taps: number;
};
export type SystemStatusRecordEnvelope = {
    meta: Meta;
    data: SystemStatusRecord;
};
export type QuarantinedRecord = {
    /** Name of the topic of the log. */
    topic: string;
    partition: number;
    offset: number;
    /** Id of the node at which the events of the record fail. */
    node: string;
    /** Short id of the account of the record. */
    account: string;
    since: string;
    /** Operator who ran `weir quarantine`, and the machine. */
    by: string;
    /** False: the command was interrupted, or still runs. It has no effect yet, and the partition waits. */
    complete: boolean;
};
export type QuarantinedRecordListEnvelope = {
    meta: Meta;
    data: QuarantinedRecord[];
};
export type SystemSeries = {
    name: "lines" | "bytes" | "events" | "stored_rows" | "refused_lines" | "refused_requests";
    /** Per second, one for each interval. Null: not known, or nothing of this process counts it. */
    values: (number | null)[];
};
export type SystemRates = {
    /** UNIX milliseconds. */
    "from": number;
    /** UNIX milliseconds. */
    to: number;
    interval_ms: number;
    /** Beginning of each interval, UNIX milliseconds. */
    starts: number[];
    /** Rates of this process: accepted lines and their bytes, events of gateway routes, stored rows, lines refused one by one, and requests to ingestion that were not accepted. */
    series: SystemSeries[];
    /** Nothing is known of the time before. UNIX milliseconds. */
    covered_from: number | null;
};
export type SystemRatesEnvelope = {
    meta: Meta;
    data: SystemRates;
};
export type LinePage = {
    lines: LineRecord[];
    /** Null on the last page. */
    pagination_id: string | null;
};
export type FoundLines = {
    /** Further lines, in the order of the search. */
    lines: LineRecord[];
};
export type SearchProgress = {
    progress: {
        /** UNIX milliseconds. The period was searched from its preferred end to this time, inclusive. */
        covered_to: number;
        /** Lines that were read. Where filters of words name the lines to read, those of a segment count as a whole. */
        rows: number;
    };
};
export type SearchEnd = {
    end: {
        /** Position of the last line, for `after`; null if the whole period was searched. It is also there if no further line follows. */
        next: string | null;
        /** Way in which the lines were found: see the header `x-weir-search` of exports. */
        access: "order" | "index" | "scan";
    };
};
export type LineRecordEnvelope = {
    meta: Meta;
    data: LineRecord;
};
export type LineContext = {
    /** The nearest lines before it, oldest first. */
    before: LineRecord[];
    line: LineRecord;
    /** The nearest lines after it, oldest first. */
    after: LineRecord[];
    /** Whether further lines precede them. */
    more_before: boolean;
    /** Whether further lines follow them. */
    more_after: boolean;
};
export type LineContextEnvelope = {
    meta: Meta;
    data: LineContext;
};
export type Histogram = {
    /** UNIX milliseconds, inclusive. */
    "from": number;
    /** UNIX milliseconds, inclusive. */
    to: number;
    /** Usual length of a bucket. Days and longer ones are as long as the calendar says. */
    interval_ms: number;
    /** Starts of the buckets, UNIX milliseconds. The first may be before `from`. */
    starts: number[];
    /** Up to ten values of the field `by` with most lines, and their lines per bucket. */
    series: {
        name: string;
        lines: number[];
    }[];
    /** Lines per bucket that have none of these values; without `by`, all lines. */
    other: number[];
    /** All counted lines. */
    lines: number;
    /** Whether all lines of the period were counted. False as well if fields were left out on a day with too many names: see the header `x-weir-incomplete`. */
    complete: boolean;
    /** UNIX milliseconds. Older lines were not counted. After `to`: no lines were counted. */
    covered_from: number;
};
export type HistogramEnvelope = {
    meta: Meta;
    data: Histogram;
};
export type Facet = {
    field: string;
    /** Most lines first. A line with several values counts for each of them. */
    values: {
        value: string;
        lines: number;
    }[];
    /** Lines of the values that are not listed. */
    other: number;
    /** Lines without a value. */
    absent: number;
    /** Number of values; if not `exact`, at least. */
    distinct: number;
    /** False if not all lines of the period were counted, or if the field has so many values that counts may be too low. */
    exact: boolean;
    /** All counted lines. */
    of_lines: number;
    /** Whether all lines of the period were counted. False as well if fields were left out on a day with too many names: see the header `x-weir-incomplete`. */
    complete: boolean;
    /** UNIX milliseconds. Older lines were not counted. After `to`: no lines were counted. */
    covered_from: number;
};
export type FacetListEnvelope = {
    meta: Meta;
    data: Facet[];
};
export type FieldsOfLines = {
    /** Fields of the most lines first. */
    fields: {
        /** Name in the query language. */
        name: string;
        /** Kind of its values. */
        "type": "text" | "number" | "both";
        lines: number;
        /** Different values, the newest first. Values above 512 characters are not shown. */
        examples: string[];
    }[];
    /** Whether there are further ones that are not listed. */
    more: boolean;
    /** Lines that were read. */
    of_lines: number;
    /** Whether all lines that the search finds were read. */
    complete: boolean;
    /** UNIX milliseconds. Older lines were not read. */
    covered_from: number;
};
export type FieldsOfLinesEnvelope = {
    meta: Meta;
    data: FieldsOfLines;
};
export type ValuesOfField = {
    field: string;
    /** Values of the most lines first. Values above 512 characters are not listed. */
    values: {
        value: string;
        lines: number;
    }[];
    /** Whether there are further ones that are not listed. */
    more: boolean;
    /** Lines that were read. */
    of_lines: number;
    /** Whether all lines that the search finds were read. */
    complete: boolean;
    /** UNIX milliseconds. Older lines were not read. */
    covered_from: number;
};
export type ValuesOfFieldEnvelope = {
    meta: Meta;
    data: ValuesOfField;
};
export type LineUsage = {
    name: string;
    /** Lines. */
    current_total: number;
    /** Percentage of all lines of the account in the period, 0 to 100. */
    percentage_of_total: number;
};
export type LineUsageOfName = LineUsage[] | null;
export type ByteTotals = {
    /** Calculated start, exclusive. */
    "from": string;
    /** Calculated end, exclusive. */
    to: string;
    /** Bytes by pool; `{n}d_vr_bytes` exists for each variable-retention pool. */
    results: {
        plan_bytes: number;
        restored_bytes: number;
        [key: string]: number;
    };
};
export type ByteUsage = {
    /** Calculated start, exclusive. */
    "from": string;
    /** Calculated end, exclusive. */
    to: string;
    results: {
        name: string;
        total_bytes: number;
    }[];
};
export type UsageSeries = {
    name: string;
    /** One for each interval. */
    lines: number[];
    /** One for each interval. */
    bytes: number[];
};
export type OtherUsage = {
    /** One for each interval. */
    lines: number[];
    /** One for each interval. */
    bytes: number[];
};
export type UsageOverTime = {
    kind: "apps" | "hosts" | "tags" | "pools";
    /** UNIX milliseconds. */
    "from": number;
    /** UNIX milliseconds. Inclusive. */
    to: number;
    interval: "hour" | "day";
    /** Beginning of each interval, UNIX milliseconds. */
    starts: number[];
    /** The names that were asked for, or those of most bytes in the whole period. Pools: plan, or days such as 7d. */
    series: UsageSeries[];
    other: OtherUsage;
    /** False if retention has removed lines of the period, and they are missing. Whole UTC days are always exact. */
    exact: boolean;
};
export type UsageOverTimeEnvelope = {
    meta: Meta;
    data: UsageOverTime;
};
/**
 * Check that the process answers
 */
export function getHealthz(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Healthy;
    }>("/healthz", {
        ...opts
    });
}
/**
 * Read whether the process is ready, and the reasons if it is not
 */
export function getReadyz({ $for }: {
    $for?: "ingest";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Ready;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 503;
        data: NotReady;
    }>(`/readyz${QS.query(QS.explode({
        "for": $for
    }))}`, {
        ...opts
    });
}
/**
 * Metrics in the Prometheus text format
 */
export function getMetrics(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchText("/metrics", {
        ...opts
    });
}
/**
 * Ingest lines
 */
export function postLogsIngest(hostname: string, ingestedLines: IngestedLines, { mac, ip, now, tags, apikey, idempotencyKey }: {
    mac?: string;
    ip?: string;
    now?: string;
    tags?: string;
    apikey?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LinesAccepted;
    } | {
        status: 207;
        data: LinesPartlyAccepted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 413;
        data: V1Error;
    } | {
        status: 415;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    } | {
        status: 508;
        data: V1Error;
    }>(`/logs/ingest${QS.query(QS.explode({
        hostname,
        mac,
        ip,
        now,
        tags,
        apikey
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: ingestedLines,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Ingest lines
 */
export function postLogsAgent(hostname: string, ingestedLines: IngestedLines, { mac, ip, now, tags, apikey, idempotencyKey }: {
    mac?: string;
    ip?: string;
    now?: string;
    tags?: string;
    apikey?: string;
    idempotencyKey?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LinesAccepted;
    } | {
        status: 207;
        data: LinesPartlyAccepted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 413;
        data: V1Error;
    } | {
        status: 415;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    } | {
        status: 508;
        data: V1Error;
    }>(`/logs/agent${QS.query(QS.explode({
        hostname,
        mac,
        ip,
        now,
        tags,
        apikey
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: ingestedLines,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "idempotency-key": idempotencyKey
        })
    }));
}
/**
 * Send data to a gateway route
 */
export function postV1ByRouteId(routeId: string, body: unknown, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PushedData;
    } | {
        status: 400;
        data: PushError;
    } | {
        status: 401;
        data: PushError;
    } | {
        status: 403;
        data: PushError;
    } | {
        status: 404;
        data: PushError;
    } | {
        status: 409;
        data: PushError;
    } | {
        status: 413;
        data: PushError;
    } | {
        status: 415;
        data: PushError;
    } | {
        status: 503;
        data: PushError;
    } | {
        status: 508;
        data: PushError;
    }>(`/v1/${encodeURIComponent(routeId)}`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Send data to a gateway route
 */
export function putV1ByRouteId(routeId: string, body: unknown, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PushedData;
    } | {
        status: 400;
        data: PushError;
    } | {
        status: 401;
        data: PushError;
    } | {
        status: 403;
        data: PushError;
    } | {
        status: 404;
        data: PushError;
    } | {
        status: 409;
        data: PushError;
    } | {
        status: 413;
        data: PushError;
    } | {
        status: 415;
        data: PushError;
    } | {
        status: 503;
        data: PushError;
    } | {
        status: 508;
        data: PushError;
    }>(`/v1/${encodeURIComponent(routeId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * List the types of nodes with their options
 */
export function getV3PipelineNodeType(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeTypeListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/node-type", {
        ...opts
    });
}
/**
 * List pipelines
 */
export function getV3Pipeline(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline", {
        ...opts
    });
}
/**
 * Create a pipeline
 */
export function postV3Pipeline(pipelineBody: PipelineBody, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline", oazapfts.json({
        ...opts,
        method: "POST",
        body: pipelineBody
    }));
}
/**
 * Read a pipeline
 */
export function getV3PipelineByPipelineId(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}`, {
        ...opts
    });
}
/**
 * Replace the settings of a pipeline
 */
export function putV3PipelineByPipelineId(pipelineId: string, pipelineBody: PipelineBody, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: pipelineBody
    }));
}
/**
 * Delete a pipeline with its nodes and alerts; its deployment stops
 */
export function deleteV3PipelineByPipelineId(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Deploy the present nodes as a new revision
 */
export function postV3PipelineByPipelineIdPublish(pipelineId: string, { allowUnconnectedEdges }: {
    allowUnconnectedEdges?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/publish${QS.query(QS.explode({
        allow_unconnected_edges: allowUnconnectedEdges
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List gateway routes
 */
export function getV3PipelineGatewayRoute(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GatewayRouteRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/gateway-route", {
        ...opts
    });
}
/**
 * Create a gateway route that several sources can share
 */
export function postV3PipelineGatewayRoute(gatewayRouteCreate: GatewayRouteCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GatewayRouteRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/gateway-route", oazapfts.json({
        ...opts,
        method: "POST",
        body: gatewayRouteCreate
    }));
}
/**
 * Read a gateway route
 */
export function getV3PipelineGatewayRouteByRouteId(routeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GatewayRouteRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}`, {
        ...opts
    });
}
/**
 * Replace title and description of a gateway route
 */
export function putV3PipelineGatewayRouteByRouteId(routeId: string, gatewayRouteReplace: GatewayRouteReplace, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: GatewayRouteRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: gatewayRouteReplace
    }));
}
/**
 * Delete a gateway route that no source uses, with its access keys
 */
export function deleteV3PipelineGatewayRouteByRouteId(routeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the access keys of a gateway route, without the keys themselves
 */
export function getV3PipelineGatewayRouteByRouteIdAccessKey(routeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccessKeyRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}/access-key`, {
        ...opts
    });
}
/**
 * Create an access key; the answer is the only one that shows it
 */
export function postV3PipelineGatewayRouteByRouteIdAccessKey(routeId: string, accessKeyWrite: AccessKeyWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NewAccessKeyRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}/access-key`, oazapfts.json({
        ...opts,
        method: "POST",
        body: accessKeyWrite
    }));
}
/**
 * Revoke an access key
 */
export function deleteV3PipelineGatewayRouteByRouteIdAccessKeyByKeyId(routeId: string, keyId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/gateway-route/${encodeURIComponent(routeId)}/access-key/${encodeURIComponent(keyId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the keys that are exempt from a throttle
 */
export function getV3PipelineByPipelineIdTransformByNodeIdExemption(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExemptionRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/exemption`, {
        ...opts
    });
}
/**
 * Exempt a key from a throttle for a time: its events pass uncounted
 */
export function putV3PipelineByPipelineIdTransformByNodeIdExemption(pipelineId: string, nodeId: string, exemptionWrite: ExemptionWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExemptionRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/exemption`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: exemptionWrite
    }));
}
/**
 * End the exemption of a key early
 */
export function deleteV3PipelineByPipelineIdTransformByNodeIdExemption(pipelineId: string, nodeId: string, { key, $default }: {
    key?: string;
    $default?: "true";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EndedExemptionEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/exemption${QS.query(QS.explode({
        key,
        "default": $default
    }))}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the buckets of a throttle with the most passed events in the window that ends now
 */
export function getV3PipelineByPipelineIdTransformByNodeIdBucket(pipelineId: string, nodeId: string, { limit }: {
    limit?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BucketRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/bucket${QS.query(QS.explode({
        limit
    }))}`, {
        ...opts
    });
}
/**
 * Read one bucket of a throttle, with its pass times
 */
export function getV3PipelineByPipelineIdTransformByNodeIdBucketByKey(pipelineId: string, nodeId: string, key: string, { $default }: {
    $default?: "true";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: OneBucketRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/bucket/${encodeURIComponent(key)}${QS.query(QS.explode({
        "default": $default
    }))}`, {
        ...opts
    });
}
/**
 * Read the profile that a data-profiler has built of its events
 */
export function getV3PipelineByPipelineIdTransformByNodeIdProfile(pipelineId: string, nodeId: string, { limit, values }: {
    limit?: string;
    values?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ProfileRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/profile${QS.query(QS.explode({
        limit,
        values
    }))}`, {
        ...opts
    });
}
/**
 * Empty the profile of a data-profiler; the next event begins a run
 */
export function postV3PipelineByPipelineIdTransformByNodeIdProfileReset(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ProfileResetRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/profile/reset`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List how far the destinations of all pipelines have delivered their events
 */
export function getV3PipelineDelivery(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DestinationDeliveryRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/delivery", {
        ...opts
    });
}
/**
 * Read how far a destination has delivered its events
 */
export function getV3PipelineByPipelineIdSinkByNodeIdDelivery(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink/${encodeURIComponent(nodeId)}/delivery`, {
        ...opts
    });
}
/**
 * Send an empty request to the server of a destination
 */
export function postV3PipelineByPipelineIdSinkByNodeIdCheck(pipelineId: string, nodeId: string, { revision }: {
    revision?: "draft" | "deployed";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeliveryCheckRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink/${encodeURIComponent(nodeId)}/check${QS.query(QS.explode({
        revision
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List the state variables of one pipeline, or of all
 */
export function getV3PipelineStateVariable({ pipelineId }: {
    pipelineId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: StateVariableRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/state-variable${QS.query(QS.explode({
        pipeline_id: pipelineId
    }))}`, {
        ...opts
    });
}
/**
 * Replace the state variables of a pipeline; its scripts read them from the next event on
 */
export function putV3PipelineStateVariableByStateId(stateId: string, stateVariableWrite: StateVariableWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: StateVariableRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/state-variable/${encodeURIComponent(stateId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: stateVariableWrite
    }));
}
/**
 * Count the failed events of all pipelines that were not replayed, by pipeline and code
 */
export function getV3PipelineDeadLetter(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WaitingDeadLettersListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/dead-letter", {
        ...opts
    });
}
/**
 * List failed events, newest first, and the settings for dead letters
 */
export function getV3PipelineByPipelineIdDeadLetter(pipelineId: string, { code, node, revision, $from, to, replayed, limit, cursor }: {
    code?: string;
    node?: string;
    revision?: string;
    $from?: string;
    to?: string;
    replayed?: "true" | "false";
    limit?: string;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeadLetterRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/dead-letter${QS.query(QS.explode({
        code,
        node,
        revision,
        "from": $from,
        to,
        replayed,
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Replace the settings for dead letters
 */
export function putV3PipelineByPipelineIdDeadLetter(pipelineId: string, deadLetterSettingsWrite: DeadLetterSettingsWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeadLetterSettingsRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/dead-letter`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: deadLetterSettingsWrite
    }));
}
/**
 * Replay failed events through the deployed revision, from the node that failed
 */
export function postV3PipelineByPipelineIdDeadLetterReplay(pipelineId: string, deadLetterReplay: DeadLetterReplay, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeadLetterReplayRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/dead-letter/replay`, oazapfts.json({
        ...opts,
        method: "POST",
        body: deadLetterReplay
    }));
}
/**
 * List the errors that nodes of all pipelines reported, newest first, with counts by hour
 */
export function getV3PipelineError({ pipelineId, nodeId, code, $from, to, limit }: {
    pipelineId?: string;
    nodeId?: string;
    code?: string;
    $from?: string;
    to?: string;
    limit?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: HourlyPipelineErrorRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/error${QS.query(QS.explode({
        pipeline_id: pipelineId,
        node_id: nodeId,
        code,
        "from": $from,
        to,
        limit
    }))}`, {
        ...opts
    });
}
/**
 * Count the errors of all pipelines by pipeline, node and code, the largest number first
 */
export function getV3PipelineErrorCount({ pipelineId, $from, to }: {
    pipelineId?: string;
    $from?: string;
    to?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineErrorCountListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/error/count${QS.query(QS.explode({
        pipeline_id: pipelineId,
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * List the errors that nodes reported, newest first; those of one code and field are one entry
 */
export function getV3PipelineByPipelineIdError(pipelineId: string, { nodeId, code, $from, to, limit }: {
    nodeId?: string;
    code?: string;
    $from?: string;
    to?: string;
    limit?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineErrorRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/error${QS.query(QS.explode({
        node_id: nodeId,
        code,
        "from": $from,
        to,
        limit
    }))}`, {
        ...opts
    });
}
/**
 * Count the events of each node and each edge of a pipeline over time
 */
export function getV3PipelineByPipelineIdMetrics(pipelineId: string, { $from, to, intervalS }: {
    $from?: number | string;
    to?: number | string;
    intervalS?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineMetricsEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/metrics${QS.query(QS.explode({
        "from": $from,
        to,
        interval_s: intervalS
    }))}`, {
        ...opts
    });
}
/**
 * Count the events into and out of all pipelines of the account over time
 */
export function getV3PipelineMetrics({ $from, to }: {
    $from?: number | string;
    to?: number | string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MetricsOfPipelinesEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/metrics${QS.query(QS.explode({
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * Count the events of each node and edge every second, live: server-sent events, or a WebSocket with the same messages
 */
export function getV3PipelineByPipelineIdMetricsLive(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LiveMetrics;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/metrics/live`, {
        ...opts
    });
}
/**
 * List the revisions of a pipeline, newest first
 */
export function getV3PipelineByPipelineIdRevision(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RevisionSummaryListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/revision`, {
        ...opts
    });
}
/**
 * Read a revision with its nodes and alerts
 */
export function getV3PipelineByPipelineIdRevisionByNumber(pipelineId: string, $number: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RevisionRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/revision/${encodeURIComponent($number)}`, {
        ...opts
    });
}
/**
 * Restore the nodes of a revision into the draft; a publication deploys them
 */
export function postV3PipelineByPipelineIdRevisionByNumberRestore(pipelineId: string, $number: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/revision/${encodeURIComponent($number)}/restore`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List the differences between two revisions, or a revision and the draft ("draft")
 */
export function getV3PipelineByPipelineIdRevisionByFromDiffByTo(pipelineId: string, $from: string, to: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RevisionDiffEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/revision/${encodeURIComponent($from)}/diff/${encodeURIComponent(to)}`, {
        ...opts
    });
}
/**
 * Pause a pipeline, which keeps its state, or change the mode of its pause
 */
export function postV3PipelineByPipelineIdPause(pipelineId: string, { dryRun, mode }: {
    dryRun?: "true" | "false";
    mode?: "store" | "hold" | "drop";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PausedPipelineEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/pause${QS.query(QS.explode({
        dry_run: dryRun,
        mode
    }))}`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Resume a paused pipeline
 */
export function postV3PipelineByPipelineIdResume(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/resume`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Simulate samples on a pipeline in the request; nothing is sent or stored
 */
export function postV3PipelineSimulate(fileSimulationRequest: FileSimulationRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SimulationRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/pipeline/simulate", oazapfts.json({
        ...opts,
        method: "POST",
        body: fileSimulationRequest
    }));
}
/**
 * Simulate samples on the draft, on a revision, or on a pipeline in the request; nothing is sent or stored
 */
export function postV3PipelineByPipelineIdSimulate(pipelineId: string, simulationRequest: SimulationRequest, { revision }: {
    revision?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SimulationRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/simulate${QS.query(QS.explode({
        revision
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: simulationRequest
    }));
}
/**
 * Explain lines: their way through all pipelines and the default graph, and the rule that ended them
 */
export function getV3Explain({ lineId, batchId, query, $from, to, limit, missing }: {
    lineId?: string;
    batchId?: string;
    query?: string;
    $from?: string;
    to?: string;
    limit?: string;
    missing?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountExplainedLineListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/explain${QS.query(QS.explode({
        line_id: lineId,
        batch_id: batchId,
        query,
        "from": $from,
        to,
        limit,
        missing
    }))}`, {
        ...opts
    });
}
/**
 * Explain lines: the nodes that they passed, and the rule that ended them
 */
export function getV3PipelineByPipelineIdExplain(pipelineId: string, { lineId, batchId, query, $from, to, limit, missing }: {
    lineId?: string;
    batchId?: string;
    query?: string;
    $from?: string;
    to?: string;
    limit?: string;
    missing?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExplainedLineListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/explain${QS.query(QS.explode({
        line_id: lineId,
        batch_id: batchId,
        query,
        "from": $from,
        to,
        limit,
        missing
    }))}`, {
        ...opts
    });
}
/**
 * Start a preview: run the draft, a revision, or a pipeline in the request, on the lines of the last minutes
 */
export function postV3PipelineByPipelineIdPreview(pipelineId: string, previewRequest: PreviewRequest, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PreviewRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/preview`, oazapfts.json({
        ...opts,
        method: "POST",
        body: previewRequest
    }));
}
/**
 * List the previews of a pipeline in this process, newest first
 */
export function getV3PipelineByPipelineIdPreview(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PreviewRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/preview`, {
        ...opts
    });
}
/**
 * Read the progress of a preview, and its result
 */
export function getV3PipelineByPipelineIdPreviewByPreviewId(pipelineId: string, previewId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PreviewRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/preview/${encodeURIComponent(previewId)}`, {
        ...opts
    });
}
/**
 * Cancel a preview
 */
export function deleteV3PipelineByPipelineIdPreviewByPreviewId(pipelineId: string, previewId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PreviewRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/preview/${encodeURIComponent(previewId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Export the nodes and alerts of a pipeline as a file
 */
export function getV3PipelineByPipelineIdExport(pipelineId: string, { format }: {
    format?: "yaml" | "json";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: object;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/export${QS.query(QS.explode({
        format
    }))}`, {
        ...opts
    });
}
/**
 * Replace the nodes and alerts of a pipeline by those of a file; a publication deploys them
 */
export function putV3PipelineImport(pipelineFile: PipelineFile, { dryRun }: {
    dryRun?: "true" | "false";
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ImportedFileEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/import${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: pipelineFile
    }));
}
/**
 * Read the draft, or a revision, as one document without secrets
 */
export function getV3PipelineByPipelineIdGraph(pipelineId: string, { revision }: {
    revision?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineGraphEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/graph${QS.query(QS.explode({
        revision
    }))}`, {
        ...opts
    });
}
/**
 * Replace the draft by a document; a publication deploys it
 */
export function putV3PipelineByPipelineIdGraph(pipelineId: string, pipelineFile: PipelineFile, { dryRun, ifMatch }: {
    dryRun?: "true" | "false";
    ifMatch?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PipelineGraphChangeEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: GraphConflict;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/graph${QS.query(QS.explode({
        dry_run: dryRun
    }))}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: pipelineFile,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "if-match": ifMatch
        })
    }));
}
/**
 * List the alerts of a pipeline
 */
export function getV3PipelineByPipelineIdAlert(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/alert`, {
        ...opts
    });
}
/**
 * Read an alert
 */
export function getV3PipelineByPipelineIdAlertByAlertId(pipelineId: string, alertId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/alert/${encodeURIComponent(alertId)}`, {
        ...opts
    });
}
/**
 * Add an alert to a source
 */
export function postV3PipelineByPipelineIdSourceByNodeIdAlert(pipelineId: string, nodeId: string, alertWrite: AlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}/alert`, oazapfts.json({
        ...opts,
        method: "POST",
        body: alertWrite
    }));
}
/**
 * Replace an alert, or move one to this source
 */
export function putV3PipelineByPipelineIdSourceByNodeIdAlertByAlertId(pipelineId: string, nodeId: string, alertId: string, alertWrite: AlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}/alert/${encodeURIComponent(alertId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: alertWrite
    }));
}
/**
 * Delete an alert of a source
 */
export function deleteV3PipelineByPipelineIdSourceByNodeIdAlertByAlertId(pipelineId: string, nodeId: string, alertId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}/alert/${encodeURIComponent(alertId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Add an alert to a processor
 */
export function postV3PipelineByPipelineIdTransformByNodeIdAlert(pipelineId: string, nodeId: string, alertWrite: AlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/alert`, oazapfts.json({
        ...opts,
        method: "POST",
        body: alertWrite
    }));
}
/**
 * Replace an alert, or move one to this processor
 */
export function putV3PipelineByPipelineIdTransformByNodeIdAlertByAlertId(pipelineId: string, nodeId: string, alertId: string, alertWrite: AlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/alert/${encodeURIComponent(alertId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: alertWrite
    }));
}
/**
 * Delete an alert of a processor
 */
export function deleteV3PipelineByPipelineIdTransformByNodeIdAlertByAlertId(pipelineId: string, nodeId: string, alertId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/alert/${encodeURIComponent(alertId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Watch events that leave a source, live: server-sent events, or a WebSocket with the same messages
 */
export function getV3PipelineByPipelineIdSourceByNodeIdTap(pipelineId: string, nodeId: string, { output, limit, seconds, filter }: {
    output?: string;
    limit?: number;
    seconds?: number;
    filter?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TapMessage;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}/tap${QS.query(QS.explode({
        output,
        limit,
        seconds,
        filter
    }))}`, {
        ...opts
    });
}
/**
 * Watch events that leave a processor, live: server-sent events, or a WebSocket with the same messages
 */
export function getV3PipelineByPipelineIdTransformByNodeIdTap(pipelineId: string, nodeId: string, { output, limit, seconds, filter }: {
    output?: string;
    limit?: number;
    seconds?: number;
    filter?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TapMessage;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}/tap${QS.query(QS.explode({
        output,
        limit,
        seconds,
        filter
    }))}`, {
        ...opts
    });
}
/**
 * Add a source
 */
export function postV3PipelineByPipelineIdSource(pipelineId: string, body: NodeCreate & (({
    "type": "log-agent";
} & SourceLogAgent) | ({
    "type": "mezmo-agent";
} & SourceLogAgent) | ({
    "type": "azure-event-hub";
} & SourceAzureEventHub) | ({
    "type": "datadog-agent";
} & SourceDatadogAgent) | ({
    "type": "mezmo-datadog-source";
} & SourceDatadogAgent) | ({
    "type": "demo-logs";
} & SourceDemoLogs) | ({
    "type": "fluent";
} & SourceFluent) | ({
    "type": "http";
} & SourceHttp) | ({
    "type": "kafka";
} & SourceKafka) | ({
    "type": "kinesis-firehose";
} & SourceKinesisFirehose) | ({
    "type": "log-analysis";
} & SourceLogAnalysis) | ({
    "type": "log-analysis-ingestion";
} & SourceLogAnalysisIngestion) | ({
    "type": "logstash";
} & SourceLogstash) | ({
    "type": "open-telemetry-logs";
} & SourceOpenTelemetryLogs) | ({
    "type": "open-telemetry-metrics";
} & SourceOpenTelemetryMetrics) | ({
    "type": "open-telemetry-traces";
} & SourceOpenTelemetryTraces) | ({
    "type": "prometheus-remote-write";
} & SourcePrometheusRemoteWrite) | ({
    "type": "s3";
} & SourceS3) | ({
    "type": "splunk-hec";
} & SourceSplunkHec) | ({
    "type": "sqs";
} & SourceSqs) | ({
    "type": "webhook";
} & SourceWebhook)), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List the sources
 */
export function getV3PipelineByPipelineIdSource(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source`, {
        ...opts
    });
}
/**
 * Read a source
 */
export function getV3PipelineByPipelineIdSourceByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}`, {
        ...opts
    });
}
/**
 * Replace a source
 */
export function putV3PipelineByPipelineIdSourceByNodeId(pipelineId: string, nodeId: string, body: NodeReplace & (SourceLogAgent | SourceAzureEventHub | SourceDatadogAgent | SourceDemoLogs | SourceFluent | SourceHttp | SourceKafka | SourceKinesisFirehose | SourceLogAnalysis | SourceLogAnalysisIngestion | SourceLogstash | SourceOpenTelemetryLogs | SourceOpenTelemetryMetrics | SourceOpenTelemetryTraces | SourcePrometheusRemoteWrite | SourceS3 | SourceSplunkHec | SourceSqs | SourceWebhook), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Delete a source
 */
export function deleteV3PipelineByPipelineIdSourceByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/source/${encodeURIComponent(nodeId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Add a processor
 */
export function postV3PipelineByPipelineIdTransform(pipelineId: string, body: NodeCreate & (({
    "type": "drop-fields";
} & TransformDropFields) | ({
    "type": "filter";
} & TransformFilter) | ({
    "type": "reduce";
} & TransformReduce) | ({
    "type": "route";
} & TransformRoute) | ({
    "type": "set-timestamp";
} & TransformSetTimestamp) | ({
    "type": "throttle";
} & TransformThrottle) | ({
    "type": "aggregate";
} & TransformAggregate) | ({
    "type": "aggregate-v2";
} & TransformAggregate) | ({
    "type": "compact-fields";
} & TransformCompactFields) | ({
    "type": "data-profiler";
} & TransformDataProfiler) | ({
    "type": "decrypt-fields";
} & TransformDecryptFields) | ({
    "type": "dedupe";
} & TransformDedupe) | ({
    "type": "encrypt-fields";
} & TransformEncryptFields) | ({
    "type": "event-to-metric";
} & TransformEventToMetric) | ({
    "type": "flatten-fields";
} & TransformFlattenFields) | ({
    "type": "js-script";
} & TransformJsScript) | ({
    "type": "script-execution";
} & TransformJsScript) | ({
    "type": "map-fields";
} & TransformMapFields) | ({
    "type": "metrics-tag-cardinality-limit";
} & TransformMetricsTagCardinalityLimit) | ({
    "type": "parse";
} & TransformParse) | ({
    "type": "parse-sequentially";
} & TransformParseSequentially) | ({
    "type": "redact";
} & TransformRedact) | ({
    "type": "mask-pii";
} & TransformRedact) | ({
    "type": "sample";
} & TransformSample) | ({
    "type": "stringify";
} & TransformStringify) | ({
    "type": "trace-sampling";
} & TransformTraceSampling) | ({
    "type": "unroll";
} & TransformUnroll)), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List the processors
 */
export function getV3PipelineByPipelineIdTransform(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform`, {
        ...opts
    });
}
/**
 * Read a processor
 */
export function getV3PipelineByPipelineIdTransformByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}`, {
        ...opts
    });
}
/**
 * Replace a processor
 */
export function putV3PipelineByPipelineIdTransformByNodeId(pipelineId: string, nodeId: string, body: NodeReplace & (TransformDropFields | TransformFilter | TransformReduce | TransformRoute | TransformSetTimestamp | TransformThrottle | TransformAggregate | TransformCompactFields | TransformDataProfiler | TransformDecryptFields | TransformDedupe | TransformEncryptFields | TransformEventToMetric | TransformFlattenFields | TransformJsScript | TransformMapFields | TransformMetricsTagCardinalityLimit | TransformParse | TransformParseSequentially | TransformRedact | TransformSample | TransformStringify | TransformTraceSampling | TransformUnroll), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Delete a processor
 */
export function deleteV3PipelineByPipelineIdTransformByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/transform/${encodeURIComponent(nodeId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Add a destination
 */
export function postV3PipelineByPipelineIdSink(pipelineId: string, body: NodeCreate & (({
    "type": "log-analysis";
} & SinkLogAnalysis) | ({
    "type": "mezmo";
} & SinkLogAnalysis) | ({
    "type": "log-store";
} & SinkLogAnalysis) | ({
    "type": "blackhole";
} & SinkBlackhole) | ({
    "type": "azure-blob-storage";
} & SinkAzureBlobStorage) | ({
    "type": "datadog-logs";
} & SinkDatadogLogs) | ({
    "type": "datadog-metrics";
} & SinkDatadogMetrics) | ({
    "type": "elasticsearch";
} & SinkElasticsearch) | ({
    "type": "gcp-cloud-monitoring";
} & SinkGcpCloudMonitoring) | ({
    "type": "gcp-cloud-operations";
} & SinkGcpCloudOperations) | ({
    "type": "gcp-cloud-pubsub";
} & SinkGcpCloudPubsub) | ({
    "type": "gcp-cloud-storage";
} & SinkGcpCloudStorage) | ({
    "type": "honeycomb-logs";
} & SinkHoneycombLogs) | ({
    "type": "http";
} & SinkHttp) | ({
    "type": "kafka";
} & SinkKafka) | ({
    "type": "loki";
} & SinkLoki) | ({
    "type": "new-relic";
} & SinkNewRelic) | ({
    "type": "prometheus-remote-write";
} & SinkPrometheusRemoteWrite) | ({
    "type": "s3";
} & SinkS3) | ({
    "type": "splunk-hec-logs";
} & SinkSplunkHecLogs)), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink`, oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List the destinations
 */
export function getV3PipelineByPipelineIdSink(pipelineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink`, {
        ...opts
    });
}
/**
 * Read a destination
 */
export function getV3PipelineByPipelineIdSinkByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink/${encodeURIComponent(nodeId)}`, {
        ...opts
    });
}
/**
 * Replace a destination
 */
export function putV3PipelineByPipelineIdSinkByNodeId(pipelineId: string, nodeId: string, body: NodeReplace & (SinkLogAnalysis | SinkBlackhole | SinkAzureBlobStorage | SinkDatadogLogs | SinkDatadogMetrics | SinkElasticsearch | SinkGcpCloudMonitoring | SinkGcpCloudOperations | SinkGcpCloudPubsub | SinkGcpCloudStorage | SinkHoneycombLogs | SinkHttp | SinkKafka | SinkLoki | SinkNewRelic | SinkPrometheusRemoteWrite | SinkS3 | SinkSplunkHecLogs), opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: NodeRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink/${encodeURIComponent(nodeId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Delete a destination
 */
export function deleteV3PipelineByPipelineIdSinkByNodeId(pipelineId: string, nodeId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/pipeline/${encodeURIComponent(pipelineId)}/sink/${encodeURIComponent(nodeId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Watch lines as they are accepted: a WebSocket of JSON messages
 */
export function getWsTail({ q, hosts, apps, levels, tags, after, maxPerS }: {
    q?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    after?: string;
    maxPerS?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 101;
        data: TailedLines | TailGap;
    }>(`/ws/tail${QS.query(QS.explode({
        q,
        hosts,
        apps,
        levels,
        tags,
        after,
        max_per_s: maxPerS
    }))}`, {
        ...opts
    });
}
/**
 * List views
 */
export function getV1ConfigView(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ViewRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/view", {
        ...opts
    });
}
/**
 * Create a view
 */
export function postV1ConfigView(viewWrite: ViewWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ViewRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/view", oazapfts.json({
        ...opts,
        method: "POST",
        body: viewWrite
    }));
}
/**
 * Read a view
 */
export function getV1ConfigViewById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ViewRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/view/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Replace a view
 */
export function putV1ConfigViewById(id: string, viewWrite: ViewWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ViewRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/view/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: viewWrite
    }));
}
/**
 * Delete a view
 */
export function deleteV1ConfigViewById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/view/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List preset alerts
 */
export function getV1ConfigPresetalert(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PresetAlertRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/presetalert", {
        ...opts
    });
}
/**
 * Create a preset alert
 */
export function postV1ConfigPresetalert(presetAlertWrite: PresetAlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PresetAlertRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/presetalert", oazapfts.json({
        ...opts,
        method: "POST",
        body: presetAlertWrite
    }));
}
/**
 * Read a preset alert
 */
export function getV1ConfigPresetalertById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PresetAlertRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/presetalert/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Replace a preset alert
 */
export function putV1ConfigPresetalertById(id: string, presetAlertWrite: PresetAlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PresetAlertRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/presetalert/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: presetAlertWrite
    }));
}
/**
 * Delete a preset alert
 */
export function deleteV1ConfigPresetalertById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/presetalert/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List categories
 */
export function getV1ConfigCategoriesByType($type: "views" | "boards" | "screens", opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CategoryRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/categories/${encodeURIComponent($type)}`, {
        ...opts
    });
}
/**
 * Create a category
 */
export function postV1ConfigCategoriesByType($type: "views" | "boards" | "screens", categoryWrite: CategoryWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CategoryRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/categories/${encodeURIComponent($type)}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: categoryWrite
    }));
}
/**
 * Read a category
 */
export function getV1ConfigCategoriesByTypeById($type: "views" | "boards" | "screens", id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CategoryRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/categories/${encodeURIComponent($type)}/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Rename a category, also in the objects that refer to it
 */
export function putV1ConfigCategoriesByTypeById($type: "views" | "boards" | "screens", id: string, categoryWrite: CategoryWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CategoryRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/categories/${encodeURIComponent($type)}/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: categoryWrite
    }));
}
/**
 * Delete a category; the objects in it stay
 */
export function deleteV1ConfigCategoriesByTypeById($type: "views" | "boards" | "screens", id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/categories/${encodeURIComponent($type)}/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List boards
 */
export function getV1ConfigBoard(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BoardRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/board", {
        ...opts
    });
}
/**
 * Create a board
 */
export function postV1ConfigBoard(boardWrite: BoardWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BoardRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/board", oazapfts.json({
        ...opts,
        method: "POST",
        body: boardWrite
    }));
}
/**
 * Read a board
 */
export function getV1ConfigBoardById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BoardRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/board/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Replace a board
 */
export function putV1ConfigBoardById(id: string, boardWrite: BoardWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BoardRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/board/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: boardWrite
    }));
}
/**
 * Delete a board
 */
export function deleteV1ConfigBoardById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/board/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read the alert on the rate of stored lines
 */
export function getV1ConfigIndexRate(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IndexRateAlertRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/index-rate", {
        ...opts
    });
}
/**
 * Create or replace the alert on the rate of stored lines
 */
export function putV1ConfigIndexRate(indexRateAlertWrite: IndexRateAlertWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IndexRateAlertRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/index-rate", oazapfts.json({
        ...opts,
        method: "PUT",
        body: indexRateAlertWrite
    }));
}
/**
 * Read the archiving configuration
 */
export function getV1ConfigArchiving(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Archiving;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/archiving", {
        ...opts
    });
}
/**
 * Create the archiving configuration
 */
export function postV1ConfigArchiving(archiving: Archiving, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Archiving;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/archiving", oazapfts.json({
        ...opts,
        method: "POST",
        body: archiving
    }));
}
/**
 * Replace the archiving configuration, possibly with another provider
 */
export function putV1ConfigArchiving(archiving: Archiving, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Archiving;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/archiving", oazapfts.json({
        ...opts,
        method: "PUT",
        body: archiving
    }));
}
/**
 * Delete the archiving configuration
 */
export function deleteV1ConfigArchiving(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/archiving", {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List ingestion and service keys
 */
export function getV1ConfigKeys({ $type }: {
    $type?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/keys${QS.query(QS.explode({
        "type": $type
    }))}`, {
        ...opts
    });
}
/**
 * Create a key; service keys only if the operator allows them
 */
export function postV1ConfigKeys(accountKeyWrite: AccountKeyWrite, { $type }: {
    $type?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/keys${QS.query(QS.explode({
        "type": $type
    }))}`, oazapfts.json({
        ...opts,
        method: "POST",
        body: accountKeyWrite
    }));
}
/**
 * Read a key
 */
export function getV1ConfigKeysByKeyId(keyId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/keys/${encodeURIComponent(keyId)}`, {
        ...opts
    });
}
/**
 * Rename a key
 */
export function putV1ConfigKeysByKeyId(keyId: string, accountKeyWrite: AccountKeyWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/keys/${encodeURIComponent(keyId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: accountKeyWrite
    }));
}
/**
 * Delete a key, which becomes invalid at once
 */
export function deleteV1ConfigKeysByKeyId(keyId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedWithMessage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/keys/${encodeURIComponent(keyId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List members
 */
export function getV1ConfigMembers(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/members", {
        ...opts
    });
}
/**
 * Add a member
 */
export function postV1ConfigMembers(memberCreate: MemberCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/members", oazapfts.json({
        ...opts,
        method: "POST",
        body: memberCreate
    }));
}
/**
 * Read a member
 */
export function getV1ConfigMembersByEmail(email: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/members/${encodeURIComponent(email)}`, {
        ...opts
    });
}
/**
 * Change role or groups of a member, or add a member; omitted properties stay as they are
 */
export function putV1ConfigMembersByEmail(email: string, memberChange: MemberChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/members/${encodeURIComponent(email)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: memberChange
    }));
}
/**
 * Remove a member from the account, with all their personal tokens for it
 */
export function deleteV1ConfigMembersByEmail(email: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedWithMessage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/members/${encodeURIComponent(email)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List groups
 */
export function getV1ConfigGroups(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccessGroupRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/groups", {
        ...opts
    });
}
/**
 * Create a group, whose members see the lines that match its query
 */
export function postV1ConfigGroups(accessGroupCreate: AccessGroupCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccessGroupRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/groups", oazapfts.json({
        ...opts,
        method: "POST",
        body: accessGroupCreate
    }));
}
/**
 * Read a group
 */
export function getV1ConfigGroupsByGroupId(groupId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccessGroupRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/groups/${encodeURIComponent(groupId)}`, {
        ...opts
    });
}
/**
 * Change a group; omitted members stay as they are
 */
export function patchV1ConfigGroupsByGroupId(groupId: string, accessGroupChange: AccessGroupChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccessGroupRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/groups/${encodeURIComponent(groupId)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: accessGroupChange
    }));
}
/**
 * Delete a group without members
 */
export function deleteV1ConfigGroupsByGroupId(groupId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/groups/${encodeURIComponent(groupId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read the stream configuration, without the password
 */
export function getV1ConfigStream(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: StreamRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream", {
        ...opts
    });
}
/**
 * Set a Kafka cluster for a copy of all lines; one of its brokers must answer
 */
export function postV1ConfigStream(streamWrite: StreamWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: StreamRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream", oazapfts.json({
        ...opts,
        method: "POST",
        body: streamWrite
    }));
}
/**
 * Replace the stream configuration
 */
export function putV1ConfigStream(streamWrite: StreamWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: StreamRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream", oazapfts.json({
        ...opts,
        method: "PUT",
        body: streamWrite
    }));
}
/**
 * Delete the stream configuration
 */
export function deleteV1ConfigStream(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream", {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read whether the account accepts lines
 */
export function getV1ConfigIngestionStatus(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionStatus;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/status", {
        ...opts
    });
}
/**
 * Request a token that confirms the suspension; nothing is suspended yet
 */
export function postV1ConfigIngestionSuspend(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SuspensionOffer;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/suspend", {
        ...opts,
        method: "POST"
    });
}
/**
 * Suspend ingestion of the account: its lines are answered with 403, and not stored
 */
export function postV1ConfigIngestionSuspendConfirm(suspensionConfirmation: SuspensionConfirmation, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionChange;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/suspend/confirm", oazapfts.json({
        ...opts,
        method: "POST",
        body: suspensionConfirmation
    }));
}
/**
 * Resume ingestion of the account
 */
export function postV1ConfigIngestionResume(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionChange;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/resume", {
        ...opts,
        method: "POST"
    });
}
/**
 * Read the retention of lines
 */
export function getV1ConfigRetention(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/retention", {
        ...opts
    });
}
/**
 * Set the retention of lines
 */
export function putV1ConfigRetention(retentionWrite: RetentionWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/retention", oazapfts.json({
        ...opts,
        method: "PUT",
        body: retentionWrite
    }));
}
/**
 * List the exclusion rules
 */
export function getV1ConfigIngestionExclusions(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionExclusionRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/exclusions", {
        ...opts
    });
}
/**
 * Create one of the exclusion rules
 */
export function postV1ConfigIngestionExclusions(ingestionExclusionCreate: IngestionExclusionCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/ingestion/exclusions", oazapfts.json({
        ...opts,
        method: "POST",
        body: ingestionExclusionCreate
    }));
}
/**
 * Read one of the exclusion rules
 */
export function getV1ConfigIngestionExclusionsById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/ingestion/exclusions/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Delete one of the exclusion rules
 */
export function deleteV1ConfigIngestionExclusionsById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/ingestion/exclusions/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Change one of the exclusion rules; omitted members stay as they are
 */
export function patchV1ConfigIngestionExclusionsById(id: string, ingestionExclusionChange: IngestionExclusionChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestionExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/ingestion/exclusions/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: ingestionExclusionChange
    }));
}
/**
 * List the stream exclusion rules
 */
export function getV1ConfigStreamExclusions(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExclusionRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream/exclusions", {
        ...opts
    });
}
/**
 * Create one of the stream exclusion rules
 */
export function postV1ConfigStreamExclusions(exclusionCreate: ExclusionCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/stream/exclusions", oazapfts.json({
        ...opts,
        method: "POST",
        body: exclusionCreate
    }));
}
/**
 * Read one of the stream exclusion rules
 */
export function getV1ConfigStreamExclusionsById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/stream/exclusions/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Delete one of the stream exclusion rules
 */
export function deleteV1ConfigStreamExclusionsById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/stream/exclusions/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Change one of the stream exclusion rules; omitted members stay as they are
 */
export function patchV1ConfigStreamExclusionsById(id: string, exclusionChange: ExclusionChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ExclusionRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/stream/exclusions/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: exclusionChange
    }));
}
/**
 * List the retention rules
 */
export function getV1ConfigRetentionRules(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRuleRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/retention-rules", {
        ...opts
    });
}
/**
 * Create one of the retention rules
 */
export function postV1ConfigRetentionRules(retentionRuleCreate: RetentionRuleCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRuleRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/retention-rules", oazapfts.json({
        ...opts,
        method: "POST",
        body: retentionRuleCreate
    }));
}
/**
 * Read one of the retention rules
 */
export function getV1ConfigRetentionRulesById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRuleRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/retention-rules/${encodeURIComponent(id)}`, {
        ...opts
    });
}
/**
 * Delete one of the retention rules
 */
export function deleteV1ConfigRetentionRulesById(id: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/retention-rules/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Change one of the retention rules; omitted members stay as they are
 */
export function patchV1ConfigRetentionRulesById(id: string, retentionRuleChange: RetentionRuleChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RetentionRuleRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/retention-rules/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: retentionRuleChange
    }));
}
/**
 * Read the quotas for stored bytes per day and per month, and their present effects
 */
export function getV1ConfigUsageQuotas(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: QuotaRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/usage-quotas", {
        ...opts
    });
}
/**
 * Set the quotas for stored bytes per day and per month
 */
export function putV1ConfigUsageQuotas(quotaWrite: QuotaWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: QuotaRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/usage-quotas", oazapfts.json({
        ...opts,
        method: "PUT",
        body: quotaWrite
    }));
}
/**
 * List access tokens: for admins all of the account, otherwise those of the caller
 */
export function getV1ConfigTokens(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TokenRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/tokens", {
        ...opts
    });
}
/**
 * Create an access token; only this answer contains its secret
 */
export function postV1ConfigTokens(tokenCreate: TokenCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IssuedToken;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/config/tokens", oazapfts.json({
        ...opts,
        method: "POST",
        body: tokenCreate
    }));
}
/**
 * Read an access token
 */
export function getV1ConfigTokensByTokenId(tokenId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TokenRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/tokens/${encodeURIComponent(tokenId)}`, {
        ...opts
    });
}
/**
 * Rename or narrow an access token, or change its end; only admins can postpone the end
 */
export function patchV1ConfigTokensByTokenId(tokenId: string, tokenChange: TokenChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TokenRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/tokens/${encodeURIComponent(tokenId)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: tokenChange
    }));
}
/**
 * Revoke an access token, which becomes invalid at once
 */
export function deleteV1ConfigTokensByTokenId(tokenId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Deleted;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/tokens/${encodeURIComponent(tokenId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Give an access token a new secret; the old one becomes invalid at once or after a grace period
 */
export function postV1ConfigTokensByTokenIdRotate(tokenId: string, tokenRotate: TokenRotate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IssuedToken;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/tokens/${encodeURIComponent(tokenId)}/rotate`, oazapfts.json({
        ...opts,
        method: "POST",
        body: tokenRotate
    }));
}
/**
 * List changes of the configuration of the account, or of the enterprise, newest first
 */
export function getV1ConfigAudit({ $from, to, actor, kind, entity, action, limit, cursor }: {
    $from?: string;
    to?: string;
    actor?: string;
    kind?: "installation" | "enterprise" | "account" | "member" | "token" | "key" | "pipeline" | "draft" | "revision" | "deployment" | "gateway-route" | "access-key" | "dead-letter" | "exemption" | "spread" | "group" | "category" | "preset-alert" | "view" | "board" | "index-rate-alert" | "archiving" | "stream" | "enterprise-key" | "line-rules" | "exclusion-rule" | "stream-exclusion-rule" | "retention-rule" | "quota" | "quota-state" | "accepted-loss" | "profile-reset" | "state-variables" | "quarantine";
    entity?: string;
    action?: "created" | "changed" | "removed";
    limit?: number;
    cursor?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuditPage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/config/audit${QS.query(QS.explode({
        "from": $from,
        to,
        actor,
        kind,
        entity,
        action,
        limit,
        cursor
    }))}`, {
        ...opts
    });
}
/**
 * Sign in to the console: the answer sets a cookie that holds the access token, encrypted
 */
export function postV3AuthSession(sessionCreate: SessionCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TokenDescriptionEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/auth/session", oazapfts.json({
        ...opts,
        method: "POST",
        body: sessionCreate
    }));
}
/**
 * Sign out of the console in this browser; the access token stays valid
 */
export function deleteV3AuthSession(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/auth/session", {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the accounts that the caller can use
 */
export function getV3AuthAccount(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/auth/account", {
        ...opts
    });
}
/**
 * Read an account of the enterprise
 */
export function getV3AuthAccountByAccountId(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/auth/account/${encodeURIComponent(accountId)}`, {
        ...opts
    });
}
/**
 * Read the caller's rights, account and credential
 */
export function getV3AuthToken(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TokenDescriptionEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/auth/token", {
        ...opts
    });
}
/**
 * Read the enterprise with its accounts
 */
export function getV3Enterprise(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EnterpriseRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/enterprise", {
        ...opts
    });
}
/**
 * List the accounts of the enterprise
 */
export function getV3EnterpriseAccount(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/enterprise/account", {
        ...opts
    });
}
/**
 * Create an account of the enterprise, with its owner and a first ingestion key
 */
export function postV3EnterpriseAccount(accountCreate: AccountCreate, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CreatedAccountEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/enterprise/account", oazapfts.json({
        ...opts,
        method: "POST",
        body: accountCreate
    }));
}
/**
 * Read an account of the enterprise by its id
 */
export function getV3EnterpriseAccountByAccountId(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/enterprise/account/${encodeURIComponent(accountId)}`, {
        ...opts
    });
}
/**
 * Change an account; omitted members stay as they are
 */
export function putV3EnterpriseAccountByAccountId(accountId: string, accountChange: AccountChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/enterprise/account/${encodeURIComponent(accountId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: accountChange
    }));
}
/**
 * Suspend an account: its credentials become invalid, and its data is kept
 */
export function postV3EnterpriseAccountByAccountIdSuspend(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/enterprise/account/${encodeURIComponent(accountId)}/suspend`, {
        ...opts,
        method: "POST"
    });
}
/**
 * Resume a suspended account: its credentials become valid again
 */
export function postV3EnterpriseAccountByAccountIdResume(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/enterprise/account/${encodeURIComponent(accountId)}/resume`, {
        ...opts,
        method: "POST"
    });
}
/**
 * List the accounts of the enterprise
 */
export function getV1EnterpriseAccount(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AttachedAccountRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/enterprise/account", {
        ...opts
    });
}
/**
 * Attach an account without an enterprise to this one
 */
export function postV1EnterpriseAccount(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AttachedAccountRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/enterprise/account", {
        ...opts,
        method: "POST"
    });
}
/**
 * Read an account of the enterprise by its id
 */
export function getV1EnterpriseAccountByAccountId(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AttachedAccountRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/enterprise/account/${encodeURIComponent(accountId)}`, {
        ...opts
    });
}
/**
 * Change retention or owner of an account
 */
export function putV1EnterpriseAccountByAccountId(accountId: string, attachedAccountChange: AttachedAccountChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AttachedAccountRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/enterprise/account/${encodeURIComponent(accountId)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: attachedAccountChange
    }));
}
/**
 * Detach an account from the enterprise; the account itself stays
 */
export function deleteV1EnterpriseAccountByAccountId(accountId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DetachedAccount;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/enterprise/account/${encodeURIComponent(accountId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the service keys of the enterprise, in clear
 */
export function getV1EnterpriseKeys(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/enterprise/keys", {
        ...opts
    });
}
/**
 * Create a service key of the enterprise, if the operator allows it
 */
export function postV1EnterpriseKeys(accountKeyWrite: AccountKeyWrite, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>("/v1/enterprise/keys", oazapfts.json({
        ...opts,
        method: "POST",
        body: accountKeyWrite
    }));
}
/**
 * Read a service key of the enterprise
 */
export function getV1EnterpriseKeysByKeyId(keyId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AccountKeyRecord;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/enterprise/keys/${encodeURIComponent(keyId)}`, {
        ...opts
    });
}
/**
 * Delete a service key of the enterprise, which becomes invalid at once
 */
export function deleteV1EnterpriseKeysByKeyId(keyId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DeletedWithMessage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/enterprise/keys/${encodeURIComponent(keyId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read whether the account is spread over all partitions
 */
export function getV3AccountSpread(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SpreadRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/account/spread", {
        ...opts
    });
}
/**
 * Spread the lines of the account over all partitions, by host, or gather them in one
 */
export function putV3AccountSpread(spreadChange: SpreadChange, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SpreadRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/account/spread", oazapfts.json({
        ...opts,
        method: "PUT",
        body: spreadChange
    }));
}
/**
 * Read the state of the log, the store and the partitions, as this process sees it
 */
export function getV3SystemStatus(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SystemStatusRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/system/status", {
        ...opts
    });
}
/**
 * List the records of the log that are in quarantine, the newest first
 */
export function getV3SystemQuarantine(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: QuarantinedRecordListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>("/v3/system/quarantine", {
        ...opts
    });
}
/**
 * Read the rates of ingestion, storing and refusals of the last hour
 */
export function getV3SystemMetrics({ $from, intervalS }: {
    $from?: string;
    intervalS?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SystemRatesEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/system/metrics${QS.query(QS.explode({
        "from": $from,
        interval_s: intervalS
    }))}`, {
        ...opts
    });
}
/**
 * Search lines; one record per line of text
 */
export function getV1Export($from: number | string, to: number | string, { size, hosts, apps, levels, tags, query, prefer, email }: {
    size?: number;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    query?: string;
    prefer?: "head" | "tail";
    email?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: string;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/export${QS.query(QS.explode({
        "from": $from,
        to,
        size,
        hosts,
        apps,
        levels,
        tags,
        query,
        prefer,
        email
    }))}`, {
        ...opts
    });
}
/**
 * Search lines page by page
 */
export function getV2Export($from: number | string, to: number | string, { size, hosts, apps, levels, tags, query, prefer, paginationId }: {
    size?: number;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    query?: string;
    prefer?: "head" | "tail";
    paginationId?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LinePage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v2/export${QS.query(QS.explode({
        "from": $from,
        to,
        size,
        hosts,
        apps,
        levels,
        tags,
        query,
        prefer,
        pagination_id: paginationId
    }))}`, {
        ...opts
    });
}
/**
 * Search lines; the answer is a stream of pieces, each a line of JSON
 */
export function getV3Search($from: number | string, to: number | string, { query, hosts, apps, levels, tags, order, limit, after }: {
    query?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    order?: "newest" | "oldest";
    limit?: number;
    after?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FoundLines | SearchProgress | SearchEnd;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search${QS.query(QS.explode({
        "from": $from,
        to,
        query,
        hosts,
        apps,
        levels,
        tags,
        order,
        limit,
        after
    }))}`, {
        ...opts
    });
}
/**
 * Get a line
 */
export function getV3SearchLineByLineId(lineId: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LineRecordEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/line/${encodeURIComponent(lineId)}`, {
        ...opts
    });
}
/**
 * Get a line with the lines before and after it
 */
export function getV3SearchContext(lineId: string, { before, after, hosts, apps }: {
    before?: number;
    after?: number;
    hosts?: string;
    apps?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LineContextEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/context${QS.query(QS.explode({
        line_id: lineId,
        before,
        after,
        hosts,
        apps
    }))}`, {
        ...opts
    });
}
/**
 * Count lines over time
 */
export function getV3SearchHistogram($from: number | string, to: number | string, { query, hosts, apps, levels, tags, budgetMs, by, buckets, zone }: {
    query?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    budgetMs?: number;
    by?: string;
    buckets?: number;
    zone?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: HistogramEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/histogram${QS.query(QS.explode({
        "from": $from,
        to,
        query,
        hosts,
        apps,
        levels,
        tags,
        budget_ms: budgetMs,
        by,
        buckets,
        zone
    }))}`, {
        ...opts
    });
}
/**
 * Count lines by values of fields
 */
export function getV3SearchFacet($from: number | string, to: number | string, fields: string, { query, hosts, apps, levels, tags, budgetMs, limit }: {
    query?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    budgetMs?: number;
    limit?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FacetListEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/facet${QS.query(QS.explode({
        "from": $from,
        to,
        query,
        hosts,
        apps,
        levels,
        tags,
        budget_ms: budgetMs,
        fields,
        limit
    }))}`, {
        ...opts
    });
}
/**
 * List the fields of the newest lines that a search finds
 */
export function getV3SearchField($from: number | string, to: number | string, { query, hosts, apps, levels, tags, limit, budgetMs, prefix }: {
    query?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    limit?: number;
    budgetMs?: number;
    prefix?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FieldsOfLinesEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/field${QS.query(QS.explode({
        "from": $from,
        to,
        query,
        hosts,
        apps,
        levels,
        tags,
        limit,
        budget_ms: budgetMs,
        prefix
    }))}`, {
        ...opts
    });
}
/**
 * List the values of a field in the newest lines that a search finds
 */
export function getV3SearchValue($from: number | string, to: number | string, field: string, { query, hosts, apps, levels, tags, limit, budgetMs, prefix }: {
    query?: string;
    hosts?: string;
    apps?: string;
    levels?: string;
    tags?: string;
    limit?: number;
    budgetMs?: number;
    prefix?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ValuesOfFieldEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/search/value${QS.query(QS.explode({
        "from": $from,
        to,
        query,
        hosts,
        apps,
        levels,
        tags,
        limit,
        budget_ms: budgetMs,
        field,
        prefix
    }))}`, {
        ...opts
    });
}
/**
 * Count lines per app, host or tag
 */
export function getV1UsageByKind($from: number | string, to: number | string, kind: "apps" | "hosts" | "tags", { limit }: {
    limit?: number;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LineUsage[];
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/usage/${encodeURIComponent(kind)}${QS.query(QS.explode({
        "from": $from,
        to,
        limit
    }))}`, {
        ...opts
    });
}
/**
 * Count lines of one app, host or tag
 */
export function getV1UsageByKindByName($from: number | string, to: number | string, kind: "apps" | "hosts" | "tags", name: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LineUsageOfName;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v1/usage/${encodeURIComponent(kind)}/${encodeURIComponent(name)}${QS.query(QS.explode({
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * Sum bytes per retention pool
 */
export function getV2Usage($from: string, to: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ByteTotals;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v2/usage${QS.query(QS.explode({
        "from": $from,
        to
    }))}`, {
        ...opts
    });
}
/**
 * Sum bytes per app, host or tag
 */
export function getV2UsageByKind($from: string, to: string, kind: "apps" | "hosts" | "tags", { limit, retention }: {
    limit?: number;
    retention?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ByteUsage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v2/usage/${encodeURIComponent(kind)}${QS.query(QS.explode({
        "from": $from,
        to,
        limit,
        retention
    }))}`, {
        ...opts
    });
}
/**
 * Sum bytes of one app, host or tag
 */
export function getV2UsageByKindByName($from: string, to: string, kind: "apps" | "hosts" | "tags", name: string, { retention }: {
    retention?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ByteUsage;
    } | {
        status: 400;
        data: V1Error;
    } | {
        status: 401;
        data: V1Error;
    } | {
        status: 403;
        data: V1Error;
    } | {
        status: 404;
        data: V1Error;
    } | {
        status: 409;
        data: V1Error;
    } | {
        status: 429;
        data: V1Error;
    } | {
        status: 503;
        data: V1Error;
    }>(`/v2/usage/${encodeURIComponent(kind)}/${encodeURIComponent(name)}${QS.query(QS.explode({
        "from": $from,
        to,
        retention
    }))}`, {
        ...opts
    });
}
/**
 * Count bytes and lines per app, host, tag or pool, in hours or days
 */
export function getV3UsageSeries(kind: "apps" | "hosts" | "tags" | "pools", $from: number | string, to: number | string, { interval, zone, limit, names }: {
    interval?: "hour" | "day";
    zone?: string;
    limit?: number;
    names?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: UsageOverTimeEnvelope;
    } | {
        status: 400;
        data: V3Error;
    } | {
        status: 401;
        data: V3Error;
    } | {
        status: 403;
        data: V3Error;
    } | {
        status: 404;
        data: V3Error;
    } | {
        status: 409;
        data: V3Error;
    } | {
        status: 429;
        data: V3Error;
    } | {
        status: 503;
        data: V3Error;
    }>(`/v3/usage/series${QS.query(QS.explode({
        kind,
        "from": $from,
        to,
        interval,
        zone,
        limit,
        names
    }))}`, {
        ...opts
    });
}
