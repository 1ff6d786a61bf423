import type { JsonObject, JsonValue } from '../schemas/json.ts'
import type { LineBatchView } from '../schemas/line-batch.ts'
