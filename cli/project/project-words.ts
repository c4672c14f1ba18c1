// Says in a project's words what a diagnostic says in requests: the file to write, or the command that sends the request. Pure.

/** A request as the API's texts have it → what to do in a project. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/(`sluice [^`]*`) \((?:PUT|POST) \/v1\/[^)]*\)/g, "$1"],
  [/PUT \/v1\/secrets\/([\w.-]+)/g, "sluice secrets put $1"],
  [/PUT \/v1\/settings\/providers\/([\w.-]+)/g, "sluice providers put $1"],
  [/PUT \/v1\/settings\/providers\b/g, "sluice providers put NAME"],
  [/PUT \/v1\/settings\/prices\b/g, "sluice prices put FILE"],
  [/PUT \/v1\/settings\/roles\b/g, "roles.yaml"],
  [/PUT \/v1\/code\/([\w%.-]+)\/([\w.-]+), or write /g, "write "],
  [/POST \/v1\/(hooks|schedules|callbacks)\b/g, "$1/NAME.yaml"],
]

export const inProjectWords = (text: string): string => SAID.reduce((said, [request, words]) => said.replace(request, words), text)
