// The catalog: its files, and reading, writing and removing one definition.

import { readFile } from "node:fs/promises"
import { plain } from "../../local/show-run.ts"
import type { DefinitionKind } from "../../src/api/doc/catalog.doc.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command, GivenOptions, Option } from "../command.ts"
import { EXIT } from "../exit.ts"
import { sendable } from "../handlers/packed.ts"
import { rendered } from "../project/places.ts"

const fileLine = ({
  path,
  tier,
  diagnostics,
}: {
  readonly path: string
  readonly tier: string
  readonly diagnostics: readonly unknown[]
}) => `${tier.padEnd(8)}  ${plain(path)}${diagnostics.length === 0 ? "" : `  ${diagnostics.length} diagnostics`}`

const BUILTIN: Option = { flags: "--builtin", says: "the built-in ones too, which every server has" }

const asked = <T extends { readonly tier: string }>(rows: readonly T[], given: GivenOptions): T[] =>
  rows.filter(({ tier }) => tier !== "built-in" || given.flag("builtin"))

const leftOut = (all: readonly unknown[], shown: readonly unknown[]): readonly string[] =>
  all.length === shown.length ? [] : [`and ${all.length - shown.length} built-in (--builtin)`]

export const list: Command = {
  name: "catalog list",
  group: "the catalog as a whole",
  says: "list the files of the catalog",
  options: [{ flags: "--revision <n>", says: "the run as it was then" }, BUILTIN],
  examples: ["catalog list", "catalog list --json | jq '.data[].path'"],
  async run(context, _, given) {
    const found = await (await context.client()).catalog.list(given.number("revision"))
    const data = asked(found.data, given)
    context.show({ ...found, data }, () => [...data.map(fileLine), ...leftOut(found.data, data), `revision ${found.revision}`])
    return EXIT.ok
  },
}

export const put: Command = {
  name: "catalog put",
  says: "replace the catalog with a folder; `sluice apply` merges instead",
  words: ["<folder>"],
  examples: ["catalog put ."],
  async run(context, words) {
    const folder = context.file(words.text(0))
    const done = await (await context.client()).catalog.replace(await sendable(folder, (await context.bundle(folder)).bundle))
    context.show(done, () => [...rendered("pretty", done.diagnostics, () => undefined), `revision ${done.revision}`])
    return EXIT.ok
  },
}

export const exported: Command = {
  name: "catalog export",
  says: "print the tenant's own files as the body that PUT /v1/catalog takes",
  examples: ["catalog export > catalog.json"],
  async run(context) {
    context.json(await (await context.client()).catalog.export())
    return EXIT.ok
  },
}

export const rollback: Command = {
  name: "catalog rollback",
  says: "write a new revision with the content of an old one",
  words: ["<revision>"],
  examples: ["catalog rollback 12"],
  async run(context, words) {
    const revision = Number(words.text(0))
    if (!/^\d+$/.test(words.text(0)))
      throw new Trouble(`"${words.text(0)}" is not a revision: sluice catalog list names the current one`, 2)
    const done = await (await context.client()).catalog.rollback(revision)
    context.show(done, () => [`revision ${done.revision}`])
    return EXIT.ok
  },
}

const ENDINGS: Readonly<Record<string, string>> = { flow: "yaml", agent: "md", skill: "md" }

/** `flows list`, `flows show`, `flows put` and `flows delete`, and the same of agents and skills. */
function commandsOf(group: string, kind: DefinitionKind): readonly Command[] {
  const example = kind === "flow" ? "triage" : kind === "agent" ? "issue-reader" : "style"
  const file = kind === "skill" ? `${group}/${example}/SKILL.md` : `${group}/${example}.${ENDINGS[kind] ?? "yaml"}`
  /** A skill is a folder, whose name means its first file. */
  const idOf = (id: string): string => (kind === "skill" && !id.includes("/") ? `${id}/SKILL.md` : id)
  return [
    {
      name: `${group} list`,
      group: `${group} of the catalog`,
      says: `list the ${group} of the catalog`,
      options: [BUILTIN],
      examples: [`${group} list`, `${group} list --builtin`],
      async run(context, _, given) {
        const { data, revision } = await (await context.client()).catalog.list()
        const all = data.filter((one) => one.kind === kind)
        const own = asked(all, given)
        context.show({ data: own, revision }, () => [...own.map(fileLine), ...leftOut(all, own)])
        return EXIT.ok
      },
    },
    {
      name: `${group} show`,
      says: kind === "skill" ? "print a skill, or another file of it" : `print the text of one of the ${group}`,
      words: kind === "skill" ? ["<id>", "[file]"] : ["<id>"],
      options: [{ flags: "--revision <n>", says: "the run as it was then" }],
      examples: [`${group} show ${example}`, ...(kind === "skill" ? ["skills show flow-language steps.md"] : [])],
      async run(context, words, given) {
        const file = words.maybe(1)
        const id = file === undefined ? idOf(words.text(0)) : `${words.text(0)}/${file}`
        const text = await (await context.client()).catalog.read(kind, id, given.number("revision"))
        if (context.isJson) context.json({ kind, id: words.text(0), content: text })
        else context.world.out.write(text)
        return EXIT.ok
      },
    },
    {
      name: `${group} put`,
      says: `write one of the ${group} from a file`,
      words: ["<id>", "<file>"],
      examples: [`${group} put ${example} ${file}`],
      async run(context, words) {
        const content = await readFile(context.file(words.text(1)), "utf8").catch(() => {
          throw new Trouble(`${words.text(1)} cannot be read`, 2)
        })
        const done = await (await context.client()).catalog.put(kind, idOf(words.text(0)), content)
        context.show(done, () => [...rendered("pretty", { [done.path]: done.diagnostics }, () => content), `${done.path} is written`])
        return EXIT.ok
      },
    },
    {
      name: `${group} delete`,
      says: `remove one of the ${group}`,
      words: ["<id>"],
      options: [{ flags: "--force", says: "even if something refers to it" }],
      examples: [`${group} delete ${example}`],
      async run(context, words, given) {
        const { catalog } = await context.client()
        await catalog.remove(kind, idOf(words.text(0)), given.flag("force") ? { force: true } : {})
        // The other files of a skill go with it.
        const { data } = kind === "skill" && !words.text(0).includes("/") ? await catalog.list() : { data: [] }
        const rest = data.flatMap((one) =>
          one.kind === "skill" && one.tier === "local" && one.id.startsWith(`${words.text(0)}/`) ? [one.path] : [],
        )
        if (rest.length > 0) await catalog.merge({ delete: rest })
        context.show({ removed: words.text(0) }, () => [`${words.text(0)} is removed`])
        return EXIT.ok
      },
    },
  ]
}

export const definitions: readonly Command[] = [
  ...commandsOf("flows", "flow"),
  ...commandsOf("agents", "agent"),
  ...commandsOf("skills", "skill"),
]
