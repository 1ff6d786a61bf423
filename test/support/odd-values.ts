import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonValue } from '../../schemas/json.ts'

/** An array within an array, and so on. @param levels number of arrays */
export function nested(levels: number): JsonValue {
  let value: JsonValue = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}

/** Text of an object with names and numbers that JavaScript changes easily. @param zz value of its member `zz` */
export function oddMembers(zz: JsonValue): string {
  return `{"b":1,"7":9007199254740993,"__proto__":{"constructor":0,"3":1e400},"zz":${jsonText(zz)},"1":"\\ud800","":-18446744073709551616}`
}
