// Runs one command line, from its words to its exit code.

import { inspect } from "node:util"
import { logText } from "../src/core/secrets/log-text.ts"
import { SluiceError } from "../src/client/transport/sluice-error.ts"
import { fileFault } from "../local/file-fault.ts"
import { inProjectWords } from "../local/project-words.ts"
import { plain } from "../local/show-run.ts"
import { Trouble } from "../local/trouble.ts"
import { defined } from "../src/core/defined.ts"
import { isApiKey } from "./command.ts"
import { COMMANDS, HEADINGS } from "./commands/commands.ts"
import { Context, type World } from "./context.ts"
import { withDashedId } from "./dashed-id.ts"
import { EXIT } from "./exit.ts"
import { codeOf, isParsing, programOf } from "./program.ts"
import { proxyOf } from "./proxy.ts"

export async function main(argv: readonly string[], world: World): Promise<number> {
  let code: number = EXIT.ok
  let context: Context | undefined
  const asksJson = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length).includes("--json")
  const refused: string[] = []
  const program = programOf(
    HEADINGS,
    { out: (text) => void world.out.write(text), err: (text) => void (asksJson ? refused.push(text) : world.err.write(text)) },
    async (command, words, given) => {
      const key = given.text("key")
      const isOther = command.ownKey === true && key !== undefined && !isApiKey(key)
      const wish = { url: given.text("url"), key: isOther ? undefined : key, profile: given.text("profile"), env: given.text("env") }
      context = new Context(world, wish, given.flag("json"))
      if (world.reader !== undefined) world.reader.mayGo = command.whole !== true
      code = await command.run(context, words, given)
    },
  )
  try {
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...withDashedId(helpOf(argv))], { from: "user" })
    return code
  } catch (error) {
    if (!isParsing(error)) return failed(error, world, context)
    const refusal = codeOf(error)
    if (asksJson && refusal !== EXIT.ok) {
      const message = refused
        .join("")
        .trim()
        .replace(/^sluice: /, "")
      world.err.write(`${JSON.stringify({ error: { code: "usage", message } })}\n`)
    }
    return refusal
  }
}

/** Help of a command that does not exist is a mistake like the command itself, and gets the same suggestion. */
function helpOf(argv: readonly string[]): readonly string[] {
  const isAsked = argv[0] === "help" || argv.includes("--help") || argv.includes("-h")
  const words = argv.slice(argv[0] === "help" ? 1 : 0).filter((word) => !word.startsWith("-"))
  const [first, second] = words
  if (!isAsked || first === undefined || first === "help") return argv
  const under = COMMANDS.filter(({ name }) => name.split(" ")[0] === first)
  const isGroup = under.some(({ name }) => name.includes(" "))
  const isKnown = under.length > 0 && !(isGroup && second !== undefined && !under.some(({ name }) => name === `${first} ${second}`))
  if (!isKnown) return words.slice(0, isGroup ? 2 : 1)
  return argv[0] === "help" ? [...words, "--help"] : argv
}

async function failed(error: unknown, world: World, context: Context | undefined): Promise<number> {
  const fault = await faultOf(error, world, context)
  if (context?.isJson === true) world.err.write(`${JSON.stringify({ error: fault.shown })}\n`)
  else world.err.write(`${fault.text}\n`)
  return fault.code
}

interface Fault {
  readonly code: number
  readonly text: string
  /** For programs. */
  readonly shown: { readonly code: string; readonly message: string; readonly [more: string]: unknown }
}

/** A message may quote untrusted text [E1]. */
async function faultOf(error: unknown, world: World, context: Context | undefined): Promise<Fault> {
  if (error instanceof Trouble) {
    const code = error.code ?? EXIT.usage
    return { code, text: `sluice: ${error.message}`, shown: { code: NAMES[code] ?? "failed", message: error.message } }
  }
  // A stream that breaks ends in the platform's own error.
  const isBroken = error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message)
  if (isBroken || (error instanceof SluiceError && error.code === "network")) {
    const { url } = (await context?.connection()) ?? { url: "the server" }
    const isHere = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(url)
    const proxy = isHere || !URL.canParse(url) ? undefined : proxyOf(world.env, url)
    // A proxy's address may hold a password.
    const through = proxy === undefined ? "" : ` through the proxy ${URL.canParse(proxy) ? new URL(proxy).host : "of the environment"}`
    const message = `no answer from ${url}${through}: ${isHere ? "is the server running? (sluice dev)" : "is the address right, and is there a network?"}`
    return { code: EXIT.unreached, text: `sluice: ${message}`, shown: { code: "network", message } }
  }
  if (error instanceof SluiceError) {
    const code = error.status === 422 ? EXIT.invalid : EXIT.failed
    const { status, message, errors, requestId } = error
    const next = await nextStep(error, context)
    return {
      code,
      text: `sluice: ${plain(inProjectWords(inWords(error, next)))}`,
      shown: { code: error.code, message, status, errors, ...defined({ fix: next, request_id: requestId }) },
    }
  }
  const file = fileFault(error)
  if (file !== undefined) return { code: EXIT.usage, text: `sluice: ${plain(file)}`, shown: { code: "usage", message: file } }
  return { code: EXIT.failed, text: logText(inspect(error)), shown: { code: "bug", message: String(error) } }
}

/** In one line. The API's own words for a missing key are about a header, which nobody types here. */
function inWords(error: SluiceError, next: string | undefined): string {
  if (next === undefined) return described(error)
  if (error.code === "answer") return `${described(error)}: ${next}`
  return error.message.includes("Authorization:") ? `${next} (${error.status} ${error.code})` : described(error)
}

/** What a person at a terminal can do, where the API speaks of headers and addresses. */
async function nextStep({ status, code }: SluiceError, context: Context | undefined): Promise<string | undefined> {
  const at = await context?.connection().catch(() => undefined)
  if (at === undefined) return undefined
  if (status === 401) return `${at.url} does not take this key (of ${at.keyFrom}): sluice login --url ${at.url}, or --key`
  if (status === 403) return `the key is of ${at.keyFrom}; another one: --key, or sluice login`
  if (code === "answer") return `is ${at.url} the address of a Sluice server? (of ${at.from})`
  return undefined
}

const NAMES: Readonly<Record<number, string>> = { 2: "usage", 3: "invalid", 4: "waits", 5: "network" }

function described(error: SluiceError): string {
  const places = error.errors.map(({ pointer, line, message, suggestion }) => {
    const place = `${pointer}${line === undefined ? "" : `:${line}`}`
    return `\n  ${place === "" ? "" : `${place}: `}${message}${suggestion === undefined ? "" : ` (${suggestion})`}`
  })
  return places.length === 0 ? `${error.message} (${error.status} ${error.code})` : `${error.code}:${places.join("")}`
}
