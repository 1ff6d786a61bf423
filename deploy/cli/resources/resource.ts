import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import type { Listing } from '../output/output.ts'

/** A member of an object that has an option of its own. */
export interface MemberOption {
  /** Flags in the form of Commander, such as `--role <role>`. */
  readonly flags: string
  readonly about: string
  /** Path of the member: `role`, or `daily.limit`. */
  readonly member: string
  readonly choices?: readonly string[]
  /** Reads the text; default: a text as it is. */
  readonly read?: (text: string) => JsonValue
}

/** Objects of the configuration that the API lists, and that are created, changed and deleted one by one. */
export interface Resource {
  /** Name of the command. */
  readonly noun: string
  /** Command that the command belongs to; absent: the program itself. */
  readonly above?: string
  /** Noun for sentences. Default: the name of the command. */
  readonly called?: string
  readonly summary: string
  readonly path: string
  /** Member by which a path names the object. */
  readonly id: string
  /** Member by which people name it. */
  readonly title: string
  readonly listing: Listing<JsonObject>
  readonly options: readonly MemberOption[]
  /** Members of a new object that are sent as the query of the request, and not in its body. */
  readonly createQuery?: readonly string[]
  /** Members of the body that are given when the object is created, and stay as they are. */
  readonly createOnly?: readonly string[]
  /** Method that changes an object; the service keeps members that are left out, unless `replaced` is given. */
  readonly change: 'PATCH' | 'PUT'
  /** Members of the present object that are sent with each change, because the service replaces the object as a whole. */
  readonly replaced?: (present: JsonObject) => JsonObject
  /** Member of the answer that is printed alone when the object is created: its secret. */
  readonly secret?: string
  /** Members that lists do not print in any form. */
  readonly hidden?: readonly string[]
  /** True where answers are within `data`. */
  readonly inEnvelope?: true
  /** True where requests need a service key in addition to the token. */
  readonly needsServiceKey?: true
  /** False where objects are not deleted. */
  readonly deletes?: false
  /** Further examples of the help. */
  readonly examples: readonly string[]
}
