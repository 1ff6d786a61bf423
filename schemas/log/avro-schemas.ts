/** The files of `avro/`, so that nothing is read when the program is loaded. Made by `npm run docs`. */
export const AVRO_SCHEMAS = {
  'checkpoint-part.1.avsc': `{
  "type": "record",
  "name": "CheckpointPart",
  "namespace": "weir",
  "doc": "A checkpoint is written as chunks followed by a manifest; only with its manifest is it whole.",
  "fields": [
    { "name": "topic", "type": "string" },
    { "name": "partition", "type": "int" },
    { "name": "epoch", "type": "long", "doc": "Offset of the owner record of the worker that wrote it." },
    { "name": "nextOffset", "type": "long", "doc": "First offset that the state does not include." },
    { "name": "part", "type": [
      { "type": "record", "name": "Chunk", "fields": [
        { "name": "index", "type": "int" },
        { "name": "data", "type": "bytes" }
      ] },
      { "type": "record", "name": "Manifest", "fields": [
        { "name": "firstChunkOffset", "type": "long" },
        { "name": "chunks", "type": "int" },
        { "name": "bytes", "type": "long" },
        { "name": "crc32", "type": "long" }
      ] }
    ] }
  ]
}
`,
  'checkpoint.1.avsc': `{
  "type": "record",
  "name": "Checkpoint",
  "namespace": "weir",
  "doc": "The state of one partition after everything before nextOffset, taken at the end of a batch.",
  "fields": [
    { "name": "behaviour", "type": "int" },
    { "name": "logId", "type": "string" },
    { "name": "nextOffset", "type": "long" },
    { "name": "timeMs", "type": "long", "doc": "Log time t." },
    { "name": "sliceMs", "type": "int" },
    { "name": "stored", "doc": "Highest position written to each table of the store.", "type": { "type": "array", "items": {
      "type": "record", "name": "StoredPosition", "fields": [
        { "name": "table", "type": "string" },
        { "name": "offset", "type": "long" },
        { "name": "row", "type": "long" }
      ] } } },
    { "name": "cuts", "doc": "The active version of each entity.", "type": { "type": "array", "items": {
      "type": "record", "name": "ActiveCut", "fields": [
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "version", "type": "long" },
        { "name": "payload", "type": "string" }
      ] } } },
    { "name": "producers", "type": { "type": "array", "items": {
      "type": "record", "name": "ProducerPosition", "fields": [
        { "name": "id", "type": "string" },
        { "name": "sequence", "type": "long" },
        { "name": "timeMs", "type": "long" }
      ] } } },
    { "name": "states", "doc": "Keyed and other state, one entry per holder.", "type": { "type": "array", "items": {
      "type": "record", "name": "HolderState", "fields": [
        { "name": "holder", "type": "string" },
        { "name": "data", "type": "bytes" }
      ] } } }
  ]
}
`,
  'configuration-event.1.avsc': `{
  "type": "record",
  "name": "ConfigurationEvent",
  "namespace": "weir",
  "doc": "One change of the configuration. An event whose expected versions do not match is ignored by everyone who folds the log.",
  "fields": [
    { "name": "id", "type": "string", "doc": "UUID by which the writer knows its own event again." },
    { "name": "atMs", "type": "long" },
    { "name": "actor", "type": "string", "doc": "Subject id of who did it." },
    { "name": "account", "type": "string", "doc": "Empty: not of one account." },
    { "name": "changes", "type": { "type": "array", "items": {
      "type": "record", "name": "Change", "fields": [
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "expectedVersion", "type": "long", "doc": "0: must not exist yet; -1: whatever it is." },
        { "name": "value", "type": "string", "doc": "JSON with secrets encrypted; empty: removed." }
      ] } } }
  ]
}
`,
  'configuration-loss.1.avsc': `{
  "type": "record",
  "name": "ConfigurationLoss",
  "namespace": "weir",
  "doc": "The act by which an operator accepts that the end of the configuration log is lost: an event like any other, in a form of its own, since versions are reckoned differently from here on. A program that does not know the form must not fold on.",
  "fields": [
    { "name": "id", "type": "string", "doc": "UUID by which the writer knows its own event again." },
    { "name": "atMs", "type": "long" },
    { "name": "actor", "type": "string", "doc": "Subject id of who did it." },
    { "name": "account", "type": "string", "doc": "Empty: not of one account." },
    { "name": "changes", "type": { "type": "array", "items": {
      "type": "record", "name": "Change", "fields": [
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "expectedVersion", "type": "long", "doc": "0: must not exist yet; -1: whatever it is." },
        { "name": "value", "type": "string", "doc": "JSON with secrets encrypted; empty: removed." }
      ] } } }
  ]
}
`,
  'configuration-snapshot-after-loss.1.avsc': `{
  "type": "record",
  "name": "ConfigurationSnapshotAfterLoss",
  "namespace": "weir",
  "doc": "A ConfigurationSnapshot of a log on which a loss was accepted: in a form of its own for the reason of ConfigurationLoss.",
  "fields": [
    { "name": "id", "type": "string", "doc": "UUID of the snapshot, the same in all parts." },
    { "name": "upTo", "type": "long", "doc": "First offset whose event is not included." },
    { "name": "part", "type": "int", "doc": "0, 1, 2, …" },
    { "name": "parts", "type": "int" },
    { "name": "entities", "type": { "type": "array", "items": {
      "type": "record", "name": "Entity", "fields": [
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "createdVersion", "type": "long" },
        { "name": "version", "type": "long" },
        { "name": "value", "type": "string", "doc": "JSON with secrets encrypted." }
      ] } } }
  ]
}
`,
  'configuration-snapshot.1.avsc': `{
  "type": "record",
  "name": "ConfigurationSnapshot",
  "namespace": "weir",
  "doc": "One part of the configuration as the events below an offset made it, so that a start does not read all of them. It counts once all of its parts are there.",
  "fields": [
    { "name": "id", "type": "string", "doc": "UUID of the snapshot, the same in all parts." },
    { "name": "upTo", "type": "long", "doc": "First offset whose event is not included." },
    { "name": "part", "type": "int", "doc": "0, 1, 2, …" },
    { "name": "parts", "type": "int" },
    { "name": "entities", "type": { "type": "array", "items": {
      "type": "record", "name": "Entity", "fields": [
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "createdVersion", "type": "long" },
        { "name": "version", "type": "long" },
        { "name": "value", "type": "string", "doc": "JSON with secrets encrypted." }
      ] } } }
  ]
}
`,
  'control.1.avsc': `{
  "type": "record",
  "name": "Control",
  "namespace": "weir",
  "doc": "A record that carries no line: time that passed, a change that takes effect here, or a new owner of the partition.",
  "fields": [
    { "name": "behaviour", "type": "int", "doc": "Behaviour number of the program that wrote it." },
    { "name": "body", "type": [
      { "type": "record", "name": "Tick", "fields": [
        { "name": "deadlineMs", "type": "long", "doc": "The deadline that has passed, UNIX ms of log time." }
      ] },
      { "type": "record", "name": "Cut", "fields": [
        { "name": "kind", "type": "string", "doc": "What changes: 'pipeline', 'account', 'slice'." },
        { "name": "entity", "type": "string" },
        { "name": "version", "type": "long", "doc": "A version that is not newer than the active one is ignored." },
        { "name": "payload", "type": "string", "doc": "JSON; empty: the entity is gone." }
      ] },
      { "type": "record", "name": "Owner", "fields": [
        { "name": "worker", "type": "string" }
      ] }
    ] }
  ]
}
`,
  'dead-letters.1.avsc': `{
  "type": "record",
  "name": "DeadLetters",
  "namespace": "weir",
  "doc": "Events of one account that could not be processed or delivered. On the topic of dead letters: kept because their pipelines ask for it, beside notes of which were replayed. On the lines' topic: to be run on in the present revision from the node that failed. What a position in a source stands for is there once, however often it is written.",
  "fields": [
    { "name": "behaviour", "type": "int", "doc": "Behaviour number that a program needs to read it." },
    { "name": "account", "type": "string" },
    { "name": "parts", "type": { "type": "array", "items": [
      { "type": "record", "name": "FailedEvents", "doc": "Events that failed at one node of one revision.", "fields": [
        { "name": "topic", "type": "string", "doc": "The source: where the record is that brought the failure." },
        { "name": "partition", "type": "int" },
        { "name": "pipeline", "type": "string" },
        { "name": "version", "type": "long", "doc": "Of the pipeline's cut: the revision that failed." },
        { "name": "node", "type": "string" },
        { "name": "lines", "type": "bytes", "doc": "A LineBatch value: the line that each event comes from, one for each event." },
        { "name": "changed", "doc": "What nodes before this one have changed.", "type": { "type": "array", "items": {
          "type": "record", "name": "ChangedEvent", "fields": [
            { "name": "index", "type": "int" },
            { "name": "message", "type": ["null", "string"], "doc": "JSON." },
            { "name": "metadata", "type": ["null", "string"], "doc": "JSON." },
            { "name": "timestamp", "type": ["null", "string"] }
          ]
        } } },
        { "name": "failures", "doc": "One for each event.", "type": { "type": "array", "items": {
          "type": "record", "name": "Failure", "fields": [
            { "name": "offset", "type": "long" },
            { "name": "row", "type": "long" },
            { "name": "failedAtMs", "type": "long", "doc": "Log time, UNIX ms." },
            { "name": "code", "type": "string" },
            { "name": "field", "type": ["null", "string"], "doc": "The path concerned, as it is configured." },
            { "name": "message", "type": "string" }
          ]
        } } }
      ] },
      { "type": "record", "name": "ReplayedEvents", "doc": "Events of a source that a revision has taken once more.", "fields": [
        { "name": "topic", "type": "string" },
        { "name": "partition", "type": "int" },
        { "name": "version", "type": "long", "doc": "Of the cut of the revision that took them." },
        { "name": "replayedAtMs", "type": "long", "doc": "Log time, UNIX ms." },
        { "name": "positions", "type": { "type": "array", "items": {
          "type": "record", "name": "SourcePosition", "fields": [
            { "name": "offset", "type": "long" },
            { "name": "row", "type": "long" }
          ]
        } } }
      ] }
    ] } }
  ]
}
`,
  'key-answers.1.avsc': `{
  "type": "record",
  "name": "KeyAnswers",
  "namespace": "weir",
  "doc": "What one ingesting process tells the others: the answers that it gave to requests with an idempotency key. No line rests on it.",
  "fields": [
    { "name": "answers", "type": { "type": "array", "items": {
      "type": "record", "name": "KeyAnswer", "fields": [
        { "name": "account", "type": "string" },
        { "name": "key", "type": "string" },
        { "name": "digest", "type": "bytes", "doc": "Of the body, as in a LineBatch." },
        { "name": "batchId", "type": "string" },
        { "name": "isPartial", "type": "boolean", "doc": "Some of the lines were refused." }
      ]
    } } }
  ]
}
`,
  'line-batch.1.avsc': `{
  "type": "record",
  "name": "LineBatch",
  "namespace": "weir",
  "doc": "Lines of one account and one route, in order of arrival, as columns. Columns of text are varint length + UTF-8 bytes per line (ClickHouse's Native string column), columns of numbers are little endian. An empty column means the default for every line.",
  "fields": [
    { "name": "account", "type": "string", "doc": "Short account id, ten hexadecimal digits." },
    { "name": "route", "type": "string", "doc": "The entrance: 'ingest' or the id of a gateway route." },
    { "name": "requests", "doc": "The requests whose lines follow one another in the columns.", "type": { "type": "array", "items": {
      "type": "record",
      "name": "IngestRequest",
      "fields": [
        { "name": "lines", "type": "int", "doc": "How many lines of the batch belong to it." },
        { "name": "hostname", "type": "string" },
        { "name": "mac", "type": "string", "doc": "Empty: not sent." },
        { "name": "ip", "type": "string", "doc": "Empty: not sent." },
        { "name": "remoteAddress", "type": "string" },
        { "name": "tags", "type": { "type": "array", "items": "string" } },
        { "name": "receivedAtMs", "type": "long", "doc": "The receiver's clock, UNIX ms." },
        { "name": "driftMs", "type": ["null", "long"], "doc": "Time of reception minus the sender's clock." },
        { "name": "idempotency", "type": ["null", { "type": "record", "name": "Idempotency", "fields": [
          { "name": "key", "type": "string" },
          { "name": "digest", "type": "bytes", "doc": "SHA-256 of the decompressed body, first 16 bytes." }
        ] }] }
      ]
    } } },
    { "name": "count", "type": "int" },
    { "name": "dictionary", "type": { "type": "array", "items": "string" }, "doc": "Strings that the index columns name; entry 0 is the empty string and means 'not sent'." },
    { "name": "hostIndex", "type": "bytes", "doc": "uint32: the line's own host; 0: the hostname of its request." },
    { "name": "appIndex", "type": "bytes", "doc": "uint32." },
    { "name": "levelIndex", "type": "bytes", "doc": "uint32: as sent, cut at 80 characters." },
    { "name": "envIndex", "type": "bytes", "doc": "uint32." },
    { "name": "fileIndex", "type": "bytes", "doc": "uint32." },
    { "name": "timestampMs", "type": "bytes", "doc": "float64: the line's resolved time." },
    { "name": "timestampKind", "type": "bytes", "doc": "uint8: 0 not sent; 1 sent as that number of ms; 2 sent as text of that number of ms; 3 as in member timestamp of rest." },
    { "name": "line", "type": "bytes", "doc": "Text column: the line." },
    { "name": "meta", "type": "bytes", "doc": "Text column: JSON text of meta; empty: none." },
    { "name": "rest", "type": "bytes", "doc": "Text column: JSON object of rare members (timestamp, tags, label, annotation, truncated, other); empty: none." }
  ]
}
`,
  'rekeyed.1.avsc': `{
  "type": "record",
  "name": "Rekeyed",
  "namespace": "weir",
  "doc": "What one partition sends to another: events on their way to where the state of their key is, that state itself, and what goes with both. Parts are in the order of their positions; a reader drops each thing whose position in the source it has passed, so where a record ends means nothing.",
  "fields": [
    { "name": "behaviour", "type": "int", "doc": "Behaviour number that a program needs to read it." },
    { "name": "sourceTopic", "type": "string" },
    { "name": "sourcePartition", "type": "int" },
    { "name": "account", "type": "string" },
    { "name": "parts", "type": { "type": "array", "items": [
      { "type": "record", "name": "RekeyedEvents", "doc": "Events that wait at a node.", "fields": [
        { "name": "pipeline", "type": "string" },
        { "name": "version", "type": "long", "doc": "Of the pipeline's cut: the revision that handles them." },
        { "name": "node", "type": "string" },
        { "name": "lines", "type": "bytes", "doc": "A LineBatch value: the line that each event comes from, one for each event." },
        { "name": "offsets", "type": "bytes", "doc": "float64: offset of the source's record." },
        { "name": "rows", "type": "bytes", "doc": "uint32." },
        { "name": "changed", "doc": "What nodes have changed.", "type": { "type": "array", "items": {
          "type": "record", "name": "ChangedEvent", "fields": [
            { "name": "index", "type": "int" },
            { "name": "message", "type": ["null", "string"], "doc": "JSON." },
            { "name": "metadata", "type": ["null", "string"], "doc": "JSON." },
            { "name": "timestamp", "type": ["null", "string"] }
          ]
        } } }
      ] },
      { "type": "record", "name": "ForwardedCut", "doc": "A cut that has taken effect at the source.", "fields": [
        { "name": "offset", "type": "long" },
        { "name": "row", "type": "int" },
        { "name": "kind", "type": "string" },
        { "name": "entity", "type": "string" },
        { "name": "version", "type": "long" },
        { "name": "payload", "type": "string" }
      ] },
      { "type": "record", "name": "MovedState", "doc": "Memory of keys of a node that is the reader's from here on.", "fields": [
        { "name": "offset", "type": "long" },
        { "name": "row", "type": "int" },
        { "name": "pipeline", "type": "string" },
        { "name": "versions", "type": { "type": "array", "items": "long" }, "doc": "Of the revisions that share it." },
        { "name": "node", "type": "string" },
        { "name": "data", "type": "bytes" }
      ] },
      { "type": "record", "name": "ShareMoved", "doc": "All memory of the share of keys that goes with this partition has been sent: events of these keys are handled by the reader.", "fields": [
        { "name": "offset", "type": "long" },
        { "name": "row", "type": "int" },
        { "name": "share", "type": "int" }
      ] },
      { "type": "record", "name": "ShareRecalled", "doc": "The home partition wants the share back.", "fields": [
        { "name": "offset", "type": "long" },
        { "name": "row", "type": "int" },
        { "name": "share", "type": "int" }
      ] }
    ] } }
  ]
}
`,
} as const
