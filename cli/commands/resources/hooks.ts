// Lists, makes and tries hooks, and shows what was delivered to them.

import { plain } from "../../../local/show-run.ts"
import { defined } from "../../../src/core/defined.ts"
import { idOf } from "../../by-name.ts"
import type { Command } from "../../command.ts"
import { EXIT } from "../../exit.ts"
import type { NewHook } from "../../../src/api/hooks.ts"
import { HOOK_KINDS } from "../../../src/core/webhook/hook.ts"
import { bodyIn, bodyWith, FILE, listed, removedByName, shown, table } from "./shapes.ts"

const hookCreate: Command = {
  name: "hooks create",
  says: "create a hook: an address whose deliveries start runs of a flow",
  options: [
    FILE,
    { flags: "--flow <flow>", says: "the flow that a delivery starts" },
    { flags: "--kind <kind>", says: "how the sender proves itself", choices: HOOK_KINDS },
    { flags: "--secret <name>", says: "the name of the secret that proves the sender (sluice secrets put)" },
  ],
  examples: ["hooks create --flow inbound --kind github --secret github", "hooks create --file hook.yaml"],
  async run(context, _, given) {
    const [flow, kind, secret] = [given.text("flow"), HOOK_KINDS.find((one) => one === given.text("kind")), given.text("secret")]
    const body = await bodyWith(context, given, defined({ flow, kind, secret }))
    const hook = await (await context.client()).hooks.create(body as NewHook)
    context.show(hook, () => [hook.id, `  deliveries go to ${hook.url}`])
    return EXIT.ok
  },
}

const hookTest: Command = {
  name: "hooks test",
  says: "sign a sample as the sender would, and say what it would start; nothing starts",
  words: ["<id>"],
  options: [
    { flags: "-f, --file <file>", says: "the body of the delivery, as JSON or YAML; - reads standard input" },
    { flags: "--event <event>", says: "of GitHub: the event, such as issues" },
  ],
  examples: ["hooks test hk_01…", "hooks test github --file issue.json --event issues"],
  async run(context, words, given) {
    const file = given.text("file")
    const wish = defined({ body: file === undefined ? undefined : await bodyIn(context, file), event: given.text("event") })
    const client = await context.client()
    const found = await client.hooks.test(await idOf(client.hooks.list(), words.text(0)), wish)
    const { verdict, reason, starts, missing } = found
    context.show(found, () => [
      `${verdict}${reason === null ? "" : `: ${plain(reason)}`}`,
      ...(starts === null ? [] : [`  starts ${plain(starts.flow)}`, `  task: ${plain(starts.task).split("\n").join("\n    ")}`]),
      ...Object.entries(starts?.inputs ?? {}).map(([name, value]) => plain(`  input ${name}: ${JSON.stringify(value)}`)),
      ...missing.map((one) => plain(`  the mapping names ${one}, which this delivery does not have`)),
    ])
    return verdict === "accepted" || verdict === "filtered" || verdict === "ping" ? EXIT.ok : EXIT.failed
  },
}

const hookDeliveries: Command = {
  name: "hooks deliveries",
  says: "list what was delivered to a hook, and what it led to",
  words: ["<id>"],
  examples: ["hooks deliveries github"],
  async run(context, words) {
    const client = await context.client()
    const data = await client.hooks.deliveries(await idOf(client.hooks.list(), words.text(0))).all()
    context.show({ data }, () => (data.length === 0 ? ["no deliveries"] : table(data, ["id", "at", "verdict", "run", "reason"])))
    return EXIT.ok
  },
}

export const hooks: readonly Command[] = [
  listed("hooks", "list hooks, newest first", (client) => client.hooks.list(), ["id", "name", "flow", "kind", "enabled", "url"]),
  shown("hooks", "show a hook", "hk_01…"),
  hookCreate,
  hookTest,
  hookDeliveries,
  removedByName("hooks", "remove a hook; its address is gone for good", "hk_01…"),
]
