// One command line, from its words to its exit code.

import { inspect } from "node:util"
import { logText } from "../src/core/secrets/log-text.ts"
import { SluiceError } from "../src/client/sluice-error.ts"
import { plain } from "../local/show-run.ts"
import { Trouble } from "../local/trouble.ts"
import { COMMANDS } from "./commands/commands.ts"
import { Context, type World } from "./context.ts"
import { EXIT } from "./exit.ts"
import { codeOf, isParsing, programOf } from "./program.ts"

export async function main(argv: readonly string[], world: World): Promise<number> {
  let code: number = EXIT.ok
  let context: Context | undefined
  const program = programOf(
    COMMANDS,
    { out: (text) => void world.out.write(text), err: (text) => void world.err.write(text) },
    async (command, words, given) => {
      const wish = { url: given.text("url"), key: given.text("key"), profile: given.text("profile") }
      context = new Context(world, wish, given.flag("json"))
      code = await command.run(context, words, given)
    },
  )
  try {
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...argv], { from: "user" })
    return code
  } catch (error) {
    if (isParsing(error)) return codeOf(error)
    return failed(error, world, context)
  }
}

async function failed(error: unknown, world: World, context: Context | undefined): Promise<number> {
  const fault = await faultOf(error, context)
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
async function faultOf(error: unknown, context: Context | undefined): Promise<Fault> {
  if (error instanceof Trouble) {
    const code = error.code ?? EXIT.usage
    return { code, text: `sluice: ${error.message}`, shown: { code: NAMES[code] ?? "failed", message: error.message } }
  }
  if (error instanceof SluiceError && error.code === "network") {
    const { url } = (await context?.connection()) ?? { url: "the server" }
    const isHere = /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(url)
    const message = `no answer from ${url}: ${isHere ? "is the server running? (sluice dev)" : "is the address right, and is there a network?"}`
    return { code: EXIT.unreached, text: `sluice: ${message}`, shown: { code: "network", message } }
  }
  if (error instanceof SluiceError) {
    const code = error.status === 422 ? EXIT.invalid : EXIT.failed
    const { status, message, errors, requestId } = error
    return {
      code,
      text: `sluice: ${plain(described(error))}`,
      shown: { code: error.code, message, status, errors, ...(requestId === undefined ? {} : { request_id: requestId }) },
    }
  }
  return { code: EXIT.failed, text: logText(inspect(error)), shown: { code: "bug", message: String(error) } }
}

const NAMES: Readonly<Record<number, string>> = { 2: "usage", 3: "invalid", 4: "waits", 5: "network" }

function described(error: SluiceError): string {
  const places = error.errors.map(({ pointer, line, message, suggestion }) => {
    const place = `${pointer}${line === undefined ? "" : `:${line}`}`
    return `\n  ${place === "" ? "" : `${place}: `}${message}${suggestion === undefined ? "" : ` (${suggestion})`}`
  })
  return places.length === 0 ? `${error.message} (${error.status} ${error.code})` : `${error.code}:${places.join("")}`
}
