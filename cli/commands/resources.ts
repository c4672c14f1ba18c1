// Lists a tenant's resources beside its catalog: hooks, schedules, secrets, keys, providers, prices, tools, tenants. All have the same
// commands: `list`, `show`, `create` or `put` from a file, `delete`.

import { exactJson } from "../../src/core/outside/exact-json.ts"
import { text as streamText } from "node:stream/consumers"
import type { NewHook } from "../../src/api/hooks.ts"
import type { NewSchedule } from "../../src/api/schedules.ts"
import type { Provider } from "../../src/api/settings.ts"
import type { NewKey, NewTenant } from "../../src/api/tenants.ts"
import { SCOPES } from "../../src/api/route/route.ts"
import { JURISDICTIONS } from "../../src/api/tenants.ts"
import type { ProviderTestResult } from "../../src/api/doc/settings.doc.ts"
import type { Paged } from "../../src/client/paged.ts"
import { SluiceError } from "../../src/client/sluice-error.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { MESSAGE_STATUS } from "../../src/api/callbacks.ts"
import { HOOK_KINDS } from "../../src/core/webhook/hook.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { plain } from "../../local/show-run.ts"
import { defined } from "../../src/core/defined.ts"
import { idOf } from "../by-name.ts"
import type { Command, Option } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"

/** What each group is about. */
const ABOUT = {
  callbacks: "receivers that hear of runs",
  hooks: "webhooks that start runs",
  keys: "API keys",
  providers: "providers of models",
  schedules: "schedules that start runs",
  secrets: "the vault: values go in and never come out",
  tenants: "tenants, with the instance's admin key",
  tools: "tools, shipped and registered",
}

/** A list as a table for a person. */
function listed<T extends object>(
  name: keyof typeof ABOUT,
  says: string,
  of: (client: Sluice) => Paged<T>,
  columns: readonly (keyof T & string)[],
): Command {
  return {
    name: `${name} list`,
    group: ABOUT[name],
    says,
    examples: [`${name} list`, `${name} list --json`],
    async run(context) {
      const data = await of(await context.client()).all()
      context.show({ data }, () => (data.length === 0 ? [`no ${name}`] : table(data, columns)))
      return EXIT.ok
    },
  }
}

/** The last column is not padded, so that no line ends with spaces. */
function table<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[]): string[] {
  const cells = rows.map((row) => columns.map((column) => cell(row[column])))
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  return cells.map((line) =>
    line
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

const cell = (value: unknown): string =>
  plain(typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)).slice(0, MOST_CELL)

/** A tool's description may be a page long. */
const MOST_CELL = 100

function shown(name: string, says: string, of: (client: Sluice, id: string) => Promise<object>, example: string): Command {
  return {
    name: `${name} show`,
    says,
    words: ["<id>"],
    examples: [`${name} show ${example}`],
    async run(context, words) {
      const found = await of(await context.client(), words.text(0))
      context.show(found, () => plain(JSON.stringify(found, null, 2)).split("\n"))
      return EXIT.ok
    },
  }
}

interface Gone {
  readonly verb?: string
  readonly says: string
  readonly example: string
  readonly options?: readonly Option[]
  of(client: Sluice, id: string, isForced: boolean): Promise<unknown>
}

function removed(name: string, { verb = "delete", says, example, options = [], of }: Gone): Command {
  return {
    name: `${name} ${verb}`,
    says,
    words: ["<id>"],
    options,
    examples: [`${name} ${verb} ${example}`],
    async run(context, words, given) {
      await of(await context.client(), words.text(0), given.flag("force"))
      context.show({ removed: words.text(0) }, () => [`${words.text(0)} is removed`])
      return EXIT.ok
    },
  }
}

const FILE: Option = { flags: "-f, --file <file>", says: "the whole body as YAML or JSON; - reads standard input" }
const FORCE: Option = { flags: "--force", says: "even if others name it" }

/** YAML, of which JSON is a part. */
/** Loaded when there is a file: YAML takes longer to load than most commands to run. */
const bodyIn = async (context: Context, file: string): Promise<JsonObject> => (await import("../body-file.ts")).bodyIn(context, file)

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
    const file = given.text("file")
    const [flow, kind, secret] = [given.text("flow"), HOOK_KINDS.find((one) => one === given.text("kind")), given.text("secret")]
    const body = { ...(file === undefined ? {} : await bodyIn(context, file)), ...defined({ flow, kind, secret }) }
    const hook = await (await context.client()).hooks.create(body as unknown as NewHook)
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
      ...missing.map((one) => plain(`  the mapping names ${one}, which this delivery has not`)),
    ])
    return verdict === "accepted" || verdict === "filtered" || verdict === "ping" ? EXIT.ok : EXIT.failed
  },
}

const hookDeliveries: Command = {
  name: "hooks deliveries",
  says: "list what was delivered to a hook, and what became of it",
  words: ["<id>"],
  examples: ["hooks deliveries github"],
  async run(context, words) {
    const client = await context.client()
    const data = await client.hooks.deliveries(await idOf(client.hooks.list(), words.text(0))).all()
    context.show({ data }, () => (data.length === 0 ? ["no deliveries"] : table(data, ["id", "at", "verdict", "run", "reason"])))
    return EXIT.ok
  },
}

const callbackDeliveries: Command = {
  name: "callbacks deliveries",
  says: "list the messages to receivers, newest first",
  options: [
    { flags: "--run <run>", says: "only about this run" },
    { flags: "--status <status>", says: "only with this status", choices: MESSAGE_STATUS },
  ],
  examples: ["callbacks deliveries --status dead", "callbacks deliveries --run run_01…"],
  async run(context, _, given) {
    const status = MESSAGE_STATUS.find((one) => one === given.text("status"))
    const data = await (await context.client()).callbacks.deliveries(defined({ run: given.text("run"), status })).all()
    context.show({ data }, () =>
      data.length === 0 ? ["no messages"] : table(data, ["id", "created", "type", "status", "attempts", "url", "last_error"]),
    )
    return EXIT.ok
  },
}

const callbackRedrive: Command = {
  name: "callbacks redrive",
  says: "send a message again",
  words: ["<message>"],
  examples: ["callbacks redrive msg_01…"],
  async run(context, words) {
    const sent = await (await context.client()).callbacks.redrive(words.text(0))
    context.show(sent, () => [`${sent.id} is queued`])
    return EXIT.ok
  },
}

const scheduleCreate: Command = {
  name: "schedules create",
  says: "create a schedule: five cron fields and a time zone",
  options: [
    FILE,
    { flags: "--flow <flow>", says: "the flow that starts" },
    { flags: "--cron <fields>", says: "five cron fields" },
    { flags: "--zone <zone>", says: "a time zone such as Europe/Berlin; UTC by default" },
    { flags: "--task <text>", says: "the task of each run" },
  ],
  examples: ['schedules create --flow digest --cron "0 7 * * 1-5" --zone Europe/Berlin --task "Yesterday."'],
  async run(context, _, given) {
    const file = given.text("file")
    const [flow, cron, zone, task] = ["flow", "cron", "zone", "task"].map((name) => given.text(name))
    const body = { ...(file === undefined ? {} : await bodyIn(context, file)), ...defined({ flow, cron, zone, task }) }
    const schedule = await (await context.client()).schedules.create(body as unknown as NewSchedule)
    context.show(schedule, () => [schedule.id])
    return EXIT.ok
  },
}

const scheduleFire: Command = {
  name: "schedules fire",
  says: "fire a schedule now",
  words: ["<id>"],
  examples: ["schedules fire morning"],
  async run(context, words) {
    const client = await context.client()
    const fired = await client.schedules.fire(await idOf(client.schedules.list(), words.text(0)))
    context.show(fired, () => [fired.run ?? fired.verdict])
    return EXIT.ok
  },
}

const secretPut: Command = {
  name: "secrets put",
  says: "store a secret under a name, which files mention; it is read from standard input, or asked for",
  words: ["<name>"],
  examples: ["secrets put github < secret.txt", "secrets put github"],
  async run(context, words) {
    const scope = words.text(0)
    const value = context.isTerminal
      ? await hidden(`The value of "${scope}"?`)
      : (await streamText(context.world.input)).replace(/\r?\n$/, "")
    if (value === "") throw usage("the value is read from standard input: sluice secrets put NAME < file")
    await (await context.client()).secrets.put(scope, value)
    context.show({ scope }, () => [`${scope} is written; nobody can read it again`])
    return EXIT.ok
  },
}

const keyCreate: Command = {
  name: "keys create",
  says: "create an API key; its text is shown this once",
  options: [
    { flags: "--name <name>", says: "what it is for" },
    { flags: "--scope <scope>", says: "what it may do", many: true },
    { flags: "--expires <time>", says: "when it ends" },
  ],
  examples: ["keys create --name ci --scope catalog:write --scope runs:write --scope runs:read"],
  async run(context, _, given) {
    const scopes = SCOPES.filter((scope) => given.list("scope").includes(scope))
    if (scopes.length === 0 || scopes.length < given.list("scope").length) throw usage(`--scope must be one of ${SCOPES.join(", ")}`)
    const body: NewKey = { scopes, ...defined({ name: given.text("name"), expires: given.text("expires") }) }
    const made = await (await context.client()).keys.create(body)
    context.show(made, () => [made.key ?? "", `  ${made.id}: it is not shown again`])
    return EXIT.ok
  },
}

const providerPut: Command = {
  name: "providers put",
  says: "replace a provider of models; its key comes from the file, or from standard input",
  words: ["<name>"],
  options: [FILE, { flags: "--kind <kind>", says: "the provider's kind; by default its name" }],
  examples: ["providers put anthropic < key.txt", "providers put house --file provider.yaml"],
  async run(context, words, given) {
    const file = given.text("file")
    const kind = given.text("kind") ?? words.text(0)
    const body =
      file === undefined
        ? { kind, apiKey: context.isTerminal ? await hidden("The provider's API key?") : (await streamText(context.world.input)).trim() }
        : await bodyIn(context, file)
    const row = await (await context.client()).settings.providers.put(words.text(0), body as unknown as Provider)
    context.show(row, () => [`${words.text(0)} is written; try it: sluice providers test ${words.text(0)}`])
    return EXIT.ok
  },
}

const providerTest: Command = {
  name: "providers test",
  says: "ask a provider for one word; the call may be billed",
  words: ["<name>", "[model]"],
  examples: ["providers test anthropic"],
  async run(context, words) {
    const model = words.maybe(1)
    const found = await (await context.client()).settings.providers.test(words.text(0), defined({ model }))
    context.show(found, () => [testedLine(found)])
    return found.ok ? EXIT.ok : EXIT.failed
  },
}

function testedLine({ ok, provider, model, host, status, message, ms, usage: used }: ProviderTestResult): string {
  const where = host === null ? "" : ` at ${plain(host)}`
  const how = status === undefined ? "" : ` (${status})`
  const tokens = used === undefined ? "" : `, ${used.input} tokens in and ${used.output} out`
  return `${ok ? "ok  " : "FAIL"}  ${plain(provider)}/${plain(model)}${where}${how}, ${ms} ms${tokens}: ${plain(message)}`
}

const priceList: Command = {
  name: "prices list",
  group: "prices of models",
  says: "print the price table: dollars per million tokens",
  examples: ["prices list"],
  async run(context) {
    const prices = await (await context.client()).settings.prices.get()
    context.show(prices, () => Object.entries(prices).map(([model, price]) => plain(`${model}  ${JSON.stringify(price)}`)))
    return EXIT.ok
  },
}

const pricePut: Command = {
  name: "prices put",
  says: "replace the price table with a file",
  words: ["<file>"],
  examples: ["prices put prices.yaml"],
  async run(context, words) {
    const client = await context.client()
    const prices = await client.settings.prices.put(
      (await bodyIn(context, words.text(0))) as Parameters<typeof client.settings.prices.put>[0],
    )
    context.show(prices, () => [`${Object.keys(prices).length} prices`])
    return EXIT.ok
  },
}

const toolPut: Command = {
  name: "tools put",
  says: "register an HTTP tool from a file",
  words: ["<name>", "<file>"],
  examples: ["tools put orders.find orders-find.yaml"],
  async run(context, words) {
    const row = await (await context.client()).tools.put(words.text(0), await bodyIn(context, words.text(1)))
    context.show(row, () => [`${words.text(0)} is registered`])
    return EXIT.ok
  },
}

const toolCall: Command = {
  name: "tools call",
  says: "call a tool outside a run",
  words: ["<name>", "[args]"],
  options: [{ flags: "--workspace <name>", says: "the files that it works on: any name of yours" }],
  examples: [`tools call web.fetch '{"url": "https://example.com"}'`, `tools call bash '{"command": "ls"}' --workspace desk`],
  async run(context, words, given) {
    const text = words.maybe(1) ?? "{}"
    let args: JsonObject
    try {
      args = exactJson(text) as JsonObject
    } catch {
      throw usage(`${text.slice(0, 80)}: this is not JSON`)
    }
    const client = await context.client()
    const found = await client.tools.call(words.text(0), args, defined({ workspace: given.text("workspace") })).catch(needingFiles)
    context.show(found, () => plain(JSON.stringify(found, null, 2)).split("\n"))
    return found["isError"] === true ? EXIT.failed : EXIT.ok
  },
}

/** The option, in place of the query's name. */
function needingFiles(error: unknown): never {
  if (error instanceof SluiceError && error.errors.some(({ pointer }) => pointer === "/workspace"))
    throw usage("this tool works on files: name their workspace, as --workspace desk")
  throw error
}

const tenantCreate: Command = {
  name: "tenants create",
  says: "create a tenant; needs the instance's admin key",
  words: ["<id>"],
  options: [
    { flags: "--name <name>", says: "its name" },
    { flags: "--jurisdiction <place>", says: "where its data stays", choices: JURISDICTIONS },
  ],
  examples: ["tenants create acme --key $ADMIN_KEY"],
  async run(context, words, given) {
    const jurisdiction = JURISDICTIONS.find((one) => one === given.text("jurisdiction"))
    const body: NewTenant = { id: words.text(0), ...defined({ name: given.text("name"), jurisdiction }) }
    const made = await (await context.client()).tenants.create(body)
    context.show(made, () => [`${made.id} is created`])
    return EXIT.ok
  },
}

async function hidden(message: string): Promise<string> {
  const { isCancel, password } = await import("@clack/prompts")
  const said = await password({ message })
  return isCancel(said) ? "" : said
}

export const resources: readonly Command[] = [
  listed("tools", "list the tools, shipped and registered", (client) => client.tools.list(), ["name", "description"]),
  toolCall,
  toolPut,
  removed("tools", { says: "remove a registered tool", example: "orders.find", of: (client, id) => client.tools.delete(id) }),
  listed("hooks", "list hooks, newest first", (client) => client.hooks.list(), ["id", "name", "flow", "kind", "enabled", "url"]),
  shown("hooks", "show a hook", async (client, id) => client.hooks.get(await idOf(client.hooks.list(), id)), "hk_01…"),
  hookCreate,
  hookTest,
  hookDeliveries,
  removed("hooks", {
    says: "remove a hook; its address is gone for good",
    example: "hk_01…",
    of: async (client, id) => client.hooks.delete(await idOf(client.hooks.list(), id)),
  }),
  listed("callbacks", "list the receivers of callbacks", (client) => client.callbacks.list(), ["id", "name", "url", "events", "enabled"]),
  shown("callbacks", "show a receiver", async (client, id) => client.callbacks.get(await idOf(client.callbacks.list(), id)), "cb_01…"),
  callbackDeliveries,
  callbackRedrive,
  removed("callbacks", {
    says: "remove a receiver",
    example: "cb_01…",
    of: async (client, id) => client.callbacks.delete(await idOf(client.callbacks.list(), id)),
  }),
  listed("schedules", "list schedules", (client) => client.schedules.list(), ["id", "name", "flow", "cron", "zone", "enabled"]),
  shown("schedules", "show a schedule", async (client, id) => client.schedules.get(await idOf(client.schedules.list(), id)), "sch_01…"),
  scheduleCreate,
  scheduleFire,
  removed("schedules", {
    says: "remove a schedule",
    example: "sch_01…",
    of: async (client, id) => client.schedules.delete(await idOf(client.schedules.list(), id)),
  }),
  listed("secrets", "list the names of the vault's secrets, without values", (client) => client.secrets.list(), ["scope"]),
  secretPut,
  removed("secrets", { says: "remove a secret", example: "github", of: (client, id) => client.secrets.delete(id) }),
  listed("keys", "list API keys, without their texts", (client) => client.keys.list(), ["id", "name", "scopes"]),
  keyCreate,
  removed("keys", { verb: "revoke", says: "revoke a key", example: "key_01…", of: (client, id) => client.keys.revoke(id) }),
  listed("providers", "list providers, without their keys", (client) => client.settings.providers.list(), ["name", "kind"]),
  providerPut,
  providerTest,
  removed("providers", {
    says: "remove a provider",
    example: "anthropic",
    options: [FORCE],
    of: (client, id, force) => client.settings.providers.delete(id, force ? { force } : {}),
  }),
  priceList,
  pricePut,
  listed("tenants", "list tenants; needs the instance's admin key", (client) => client.tenants.list(), ["id", "name"]),
  tenantCreate,
  removed("tenants", { says: "delete a tenant with everything it has", example: "acme", of: (client, id) => client.tenants.delete(id) }),
]
