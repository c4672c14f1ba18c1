// Says in a project's words what the server says in requests: the file to write, or the command that sends the request. Pure.

import { FOLDERS, SETTING_FILES } from "../src/core/flow/catalog-kinds.ts"

const FILE_POINTER = new RegExp(
  `(?<![\\w.:/-])/((?:(?:${Object.keys(FOLDERS).join("|")})/\\S+?|(?:${SETTING_FILES.join("|")}))\\.(?:yaml|md|tsx?|json)(?=[:\\s]|$))`,
  "g",
)

/** A request as the API's texts have it → what to do in a project. */
const SAID: readonly (readonly [RegExp, string])[] = [
  // A message that names both: `write code/support/sum.ts (PUT /v1/code/support/sum)`.
  [/(`sluice [^`]*`|[\w%./-]+\.(?:yaml|md|tsx?)) \((?:PUT|POST) \/v1\/[^)]*\)/g, "$1"],
  [/PUT \/v1\/secrets\/([\w.-]+)/g, "sluice secrets put $1"],
  [/PUT \/v1\/settings\/providers\/([\w.-]+)/g, "sluice providers put $1"],
  [/PUT \/v1\/settings\/providers\b/g, "sluice providers put NAME"],
  [/PUT \/v1\/settings\/prices\b/g, "sluice prices put FILE"],
  [/PUT \/v1\/settings\/roles\b/g, "roles.yaml"],
  [/POST \/v1\/(hooks|schedules|callbacks)\b/g, "$1/NAME.yaml"],
  // The place of a fault: a pointer to a file of the catalog.
  [FILE_POINTER, "$1"],
]

export const inProjectWords = (text: string): string => SAID.reduce((said, [request, words]) => said.replace(request, words), text)
