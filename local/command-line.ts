// Parses the command line: command, arguments, options, server URL and key. Errors name the valid choices.

import { parseArgs } from "node:util"
import { LOCAL_KEY } from "./settings.ts"
import { Trouble } from "./trouble.ts"

export const USAGE = `sluice COMMAND

  run FLOW [--task TEXT] [--input NAME=VALUE]… [--rehearse] [--autonomous] [--tag TAG]… [--detach]
                       start a run and show it; exit code 1 unless it succeeds
  runs [--flow FLOW] [--status STATUS] [--limit N]
                       list runs, newest first
  watch RUN            show a run from the start, live
  cancel RUN           cancel a run
  inbox                list open questions
  answer RUN/ID [ANSWER]
                       answer a question: a text, or --json VALUE, --auto, --approve, --reject [--feedback TEXT]
  catalog put DIR      replace the tenant's files with agents/, flows/, skills/ and code/ of a folder
  catalog list         list the files of the catalog
  test [FLOW…] [--case NAME] [--junit FILE]
                       run the tests of these flows, or of all that have tests; exit code 1 on a failure
  validate FILE…       check files without writing them; exit code 3 if one has an error
  verify FILE [--keys FILE]
                       check a receipt; keys from the instance, or from a saved key set, without a server

  --url URL            or SLUICE_URL; default http://127.0.0.1:8787
  --key KEY            or SLUICE_KEY; default for local addresses: the local development key

  Exit codes: 0 done, 1 failed (a run, the server), 2 usage error, 3 invalid (a file or a request)
`

const options = {
  url: { type: "string" },
  key: { type: "string" },
  task: { type: "string" },
  input: { type: "string", multiple: true },
  tag: { type: "string", multiple: true },
  rehearse: { type: "boolean" },
  autonomous: { type: "boolean" },
  detach: { type: "boolean" },
  flow: { type: "string" },
  status: { type: "string" },
  limit: { type: "string" },
  json: { type: "string" },
  auto: { type: "boolean" },
  approve: { type: "boolean" },
  reject: { type: "boolean" },
  feedback: { type: "string" },
  keys: { type: "string" },
  case: { type: "string" },
  junit: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const

export interface Typed {
  readonly command: string
  readonly words: readonly string[]
  readonly given: ReturnType<typeof parse>["values"]
  readonly url: string
  readonly key: string
}

const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })

export function readLine(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Typed {
  let line: ReturnType<typeof parse>
  try {
    line = parse(argv)
  } catch (error) {
    throw new Trouble(error instanceof Error ? error.message : String(error))
  }
  const [command = "help", ...words] = line.positionals
  const url = line.values.url ?? (env["SLUICE_URL"] || "http://127.0.0.1:8787")
  if (!URL.canParse(url)) throw new Trouble(`"${url}" is not a URL`)
  const key = line.values.key ?? (env["SLUICE_KEY"] || (isLocal(url) ? LOCAL_KEY : undefined))
  // The public keys of receipts are open to everyone.
  if (key === undefined && command !== "verify") throw new Trouble(`give a key for ${url}: --key, or SLUICE_KEY`)
  return { command: line.values.help === true ? "help" : command, words, given: line.values, url, key: key ?? "" }
}

/** The development key is public, so it is sent only to this machine. */
const isLocal = (url: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

/** `a=1` is the number 1, `a=x` the text x: values are JSON if valid, otherwise text. */
export function inputsOf(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      if (at < 1) throw new Trouble(`--input ${pair}: write NAME=VALUE`)
      return [pair.slice(0, at), valueOf(pair.slice(at + 1))]
    }),
  )
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
