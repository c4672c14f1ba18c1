// `plan` and `apply`: what of the project the server lacks, and sending it. An apply is one revision of the catalog, or nothing.

import { SluiceError } from "../../src/client/sluice-error.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import type { Diagnostic } from "../../src/core/diagnostic.ts"
import { bundleOf } from "../../local/definition-files.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command, Given } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { difference, filesOf, isSame, lines, type Difference } from "../project/difference.ts"
import { rendered, type Found } from "../project/places.ts"
import { configOf, projectAround } from "../project/project.ts"

const PRUNE = { flags: "--prune", says: "also remove what is only on the server" }

export const plan: Command = {
  name: "plan",
  says: "show what apply would change; nothing is written",
  words: ["[folder]"],
  options: [PRUNE],
  examples: ["plan", "plan --prune --profile production", "plan --json | jq .changed"],
  async run(context, words, given) {
    const { difference: found, server } = await compared(context, words.maybe(0))
    const { url } = await context.connection()
    context.show({ ...found, url }, () =>
      isSame(found, given.flag("prune"))
        ? [...lines(found, given.flag("prune")), `${url} has all of it`]
        : [...lines(found, given.flag("prune")), summary(found, given, `${url}, now at ${filesOf(server).size} files`)],
    )
    return EXIT.ok
  },
}

export const apply: Command = {
  name: "apply",
  says: "send the project to the server: one revision, or nothing",
  words: ["[folder]"],
  options: [PRUNE, { flags: "-y, --yes", says: "do not ask before removing" }],
  examples: ["apply", "apply --prune --yes", "apply --profile production"],
  async run(context, words, given) {
    const { difference: found, bundle } = await compared(context, words.maybe(0))
    const isPruning = given.flag("prune")
    const { url } = await context.connection()
    if (isSame(found, isPruning)) {
      context.show({ ...found, revision: null, url }, () => [`${url} has all of it: nothing to apply`])
      return EXIT.ok
    }
    if (!context.isJson) for (const line of lines(found, isPruning)) context.line(line)
    if (isPruning && found.removed.length > 0 && context.isTerminal && !given.flag("yes") && !(await agreed(found))) {
      context.line("nothing was changed")
      return EXIT.ok
    }
    const { revision, diagnostics } = await sent(context, bundle, isPruning)
    if (!context.isJson) for (const line of rendered("pretty", diagnostics, textIn(bundle))) context.line(line)
    context.show({ ...found, revision, url }, () => [summary(found, given, `${url}, revision ${revision}`)])
    return EXIT.ok
  },
}

interface Compared {
  readonly bundle: Bundle
  readonly server: Bundle
  readonly difference: Difference
}

/** The folder is judged first, so that no request is made for what cannot be applied. */
async function compared(context: Context, folder: string | undefined): Promise<Compared> {
  const root = folder === undefined ? ((await projectAround(context.world.cwd)) ?? context.world.cwd) : context.file(folder)
  const bundle = await bundleOf(root)
  const { judge } = await import("../project/judge.ts")
  const { valid, diagnostics } = await judge(bundle, (await configOf(root)).tools ?? [])
  if (!valid) refuse(context, diagnostics, bundle)
  const client = await context.client()
  const server = await client.catalog.export()
  return { bundle, server, difference: difference(bundle, server) }
}

function refuse(context: Context, diagnostics: Readonly<Record<string, readonly Diagnostic[]>>, bundle: Bundle): never {
  for (const line of rendered(context.isJson ? "json" : "pretty", diagnostics, textIn(bundle))) context.line(line)
  throw new Trouble("nothing was sent: the project is not valid", EXIT.invalid)
}

async function sent(
  context: Context,
  bundle: Bundle,
  isPruning: boolean,
): Promise<{ readonly revision: number; readonly diagnostics: Found }> {
  const client = await context.client()
  try {
    return await (isPruning ? client.catalog.replace(bundle) : client.catalog.merge(bundle))
  } catch (error) {
    if (error instanceof SluiceError && error.code === "gate_failed") throw new Trouble(error.message, EXIT.failed)
    throw error
  }
}

const textIn =
  (bundle: Bundle) =>
  (path: string): string | undefined =>
    filesOf(bundle).get(path)

const summary = ({ added, changed, removed }: Difference, given: Given, where: string): string =>
  `${added.length} to add, ${changed.length} to change, ${given.flag("prune") ? removed.length : 0} to remove (${where})`

async function agreed({ removed }: Difference): Promise<boolean> {
  const { confirm } = await import("@clack/prompts")
  const said = await confirm({
    message: `Remove ${removed.length} ${removed.length === 1 ? "file" : "files"} from the server?`,
    initialValue: false,
  })
  return said === true
}
