// Says what the server says in the console's words. The server's sentences are also for programs: they name methods and addresses of the API. Here
// an address becomes the page that does the same, and that page is the way to mend it.

import { sentence } from "./sentence.ts"

export interface ConsoleWords {
  readonly words: string
  readonly mend?: Mend
}

/** A page that mends the fault, and what its button says. */
export interface Mend {
  readonly place: readonly string[]
  readonly act: string
}

interface Page extends Mend {
  /** Where it is, after "under". */
  readonly name: string
}

const page = (name: string, act: string, ...place: readonly string[]): Page => ({ name, act, place })

/** The beginning of an address behind `/v1/` → its page; the first that fits. */
const PAGES: readonly (readonly [address: RegExp, page: Page])[] = [
  [/^secrets\b/, page("Settings, Secrets", "Write the secret", "settings", "secrets")],
  [/^settings\/providers\b/, page("Settings, Models", "Connect a model", "settings", "providers")],
  [/^settings\/roles\b/, page("Settings, Roles", "Choose the models", "settings", "roles")],
  [/^settings\/prices\b/, page("Settings, Prices", "Set a price", "settings", "prices")],
  [/^settings\/budget\b/, page("Settings, Budget", "Raise the budget", "settings", "budget")],
  [/^settings\/scoring\b/, page("Settings, Scoring", "Open the scoring", "settings", "scoring")],
  [/^scorers\b/, page("Quality, Scorers", "Open the scorers", "quality", "scorers")],
  [/^settings\/policy\b/, page("Settings, Policy", "Open the policy", "settings", "policy")],
  [/^mcp-servers\b/, page("Agents, Tools", "Open the tools", "tools")],
  [/^tools\b/, page("Agents, Tools", "Open the tools", "tools")],
  [/^hooks\b/, page("Settings, Hooks", "Open the hooks", "settings", "hooks")],
  [/^schedules\b/, page("Settings, Schedules", "Open the schedules", "settings", "schedules")],
  [/^callbacks\b/, page("Settings, Callbacks", "Open the callbacks", "settings", "callbacks")],
  [/^(flows|catalog|code|plans|architect)\b/, page("Flows", "Open the flows", "flows")],
]

const METHOD = "(?:GET|POST|PUT|PATCH|DELETE)"
const ADDRESS = String.raw`\/v1\/([\w./{}:-]*[\w}])(?: with [^.;,)]*| and approve \S+)?`
/** `(PUT /v1/secrets/x)`, `: PUT /v1/x`, `with PUT /v1/x`, `from PUT /v1/x`, `see GET /v1/x`. */
const CALL = new RegExp(
  String.raw`(\s*\(|:\s*|,?\s+(?:with|from|to|by|in|see)\s+|\s+)?` + "`?" + METHOD + String.raw`\s+` + ADDRESS + "`?" + String.raw`(\))?`,
  "g",
)
const FORCE = /\b(write )?with \?force=1/g

export function consoleWords(message: string): ConsoleWords {
  let mend: Mend | undefined
  const words = message
    .replace(CALL, (whole, before: string | undefined, address: string) => {
      const found = PAGES.find(([start]) => start.test(address))?.[1]
      if (found === undefined) return ""
      mend ??= { place: found.place, act: found.act }
      return before?.trim() === ":" ? `. See ${found.name}` : ` under ${found.name}`
    })
    .replace(FORCE, (_, verb?: string) => (verb === undefined ? "anyway" : "save anyway"))
    .replaceAll(/\bHTTP (\d{3})\b:?/g, "the answer $1:")
    .replaceAll(/\s+([.,;])/g, "$1")
    .replaceAll("..", ".")
  return { words: sentence(words), ...(mend === undefined ? {} : { mend }) }
}

/** `/flows/0/match` as people say it: `flows 1, match`. */
export const placeWords = (pointer: string): string =>
  pointer
    .replace(/^\//, "")
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((said, step) => (/^\d+$/.test(step) ? `${said} ${Number(step) + 1}` : said === "" ? step : `${said}, ${step}`), "")
