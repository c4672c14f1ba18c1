// Makes the commands that every resource of a tenant has: `list` as a table, `show`, `delete`, and the body of a `create`.

import { text as streamText } from "node:stream/consumers"
import type { JsonObject } from "../../../src/core/json.ts"
import type { Paged } from "../../../src/client/transport/paged.ts"
import type { Sluice } from "../../../src/client/sluice.ts"
import { plain } from "../../../local/show-run.ts"
import { idOf } from "../../by-name.ts"
import type { Command, GivenOptions, Option } from "../../command.ts"
import type { Context } from "../../context.ts"
import { EXIT } from "../../exit.ts"

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
export function listed<T extends object>(
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
export function table<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[]): string[] {
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

/** A resource that a person names by its id or by the name in its file. */
interface Named {
  list(): Parameters<typeof idOf>[0]
  get(id: string): Promise<object>
  delete(id: string): Promise<unknown>
}

type NamedResource = "hooks" | "callbacks" | "schedules"
const namedIn = (client: Sluice, name: NamedResource): Named => client[name]

export function shown(name: NamedResource, says: string, example: string): Command {
  return {
    name: `${name} show`,
    says,
    words: ["<id>"],
    examples: [`${name} show ${example}`],
    async run(context, words) {
      const resource = namedIn(await context.client(), name)
      const found = await resource.get(await idOf(resource.list(), words.text(0)))
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

export function removed(name: string, { verb = "delete", says, example, options = [], of }: Gone): Command {
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

export const removedByName = (name: NamedResource, says: string, example: string): Command =>
  removed(name, {
    says,
    example,
    async of(client, id) {
      const resource = namedIn(client, name)
      return resource.delete(await idOf(resource.list(), id))
    },
  })

export const FILE: Option = { flags: "-f, --file <file>", says: "the whole body as YAML or JSON; - reads standard input" }

/** YAML, of which JSON is a part. It is loaded when there is a file: it takes longer to load than most commands to run. */
export const bodyIn = async (context: Context, file: string): Promise<JsonObject> =>
  (await import("../../body-file.ts")).bodyIn(context, file)

/** The body of `--file`, if there is one, with what the options say. */
export async function bodyWith(context: Context, given: GivenOptions, said: object): Promise<object> {
  const file = given.text("file")
  return { ...(file === undefined ? {} : await bodyIn(context, file)), ...said }
}

/** What nobody may see: asked for at a terminal, else read from standard input. */
export async function hidden(context: Context, message: string): Promise<string> {
  if (!context.isTerminal) return (await streamText(context.world.input)).replace(/\r?\n$/, "")
  const { isCancel, password } = await import("@clack/prompts")
  const said = await password({ message })
  return isCancel(said) ? "" : said
}
