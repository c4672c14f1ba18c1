// `import` and `connect`: what other programs have. Agents, commands and skills become files of the project; an MCP server's tools become the
// tenant's.

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { Connect } from "../../src/client/connect.ts"
import { Transport } from "../../src/client/transport/transport.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { pathOf } from "../project/difference.ts"
import { rendered } from "../project/places.ts"

/** Characters of all files, as the server takes them. */
const MOST_BYTES = 10 * 1_048_576
const FOLDERS = [".claude", ".cursor", ".codex", ".github", ".gemini", ".opencode", ".pi", "agents", "skills", "commands"]

export const importFiles: Command = {
  name: "import",
  says: "show how agents, commands, rules and skills of other programs would be converted; --write writes them",
  words: ["[path]"],
  options: [
    { flags: "--write", says: "write them to the server" },
    { flags: "--prefix <text>", says: "a prefix for the names of all imported definitions" },
    { flags: "--flow <flow>", says: "the path is a promptfoo configuration or OpenAI evals: make it a dataset of this flow" },
    { flags: "--expected <member>", says: "with --flow and evals: the member of an item that has the reference answer" },
  ],
  examples: ["import ~/other-project", "import . --write --prefix acme-", "import promptfooconfig.yaml --flow support --write"],
  async run(context, words, given) {
    const from = context.file(words.maybe(0) ?? ".")
    const [flow, expected] = [given.text("flow"), given.text("expected")]
    const files = flow === undefined ? await textsOf(from) : await rowsOf(from)
    if (Object.keys(files).length === 0) throw new Trouble(`${from} has none of ${FOLDERS.join(", ")}`, EXIT.usage)
    const options = { write: given.flag("write"), prefix: given.text("prefix"), flow, expected }
    const report = await new Connect(await transportOf(context)).files({ files }, options)
    context.show(report, () => [
      ...report.data.flatMap(({ path: from, status, target, changes, diagnostics }) => [
        `${status.padEnd(8)}  ${plain(from)}${target === undefined || target === from ? "" : ` → ${plain(target)}`}`,
        ...changes.map((change) => `            ${plain(change)}`),
        ...rendered("pretty", { [from]: diagnostics }, () => undefined),
      ]),
      `${report.counts.imported} as they are, ${report.counts.changed} changed, ${report.counts.refused} left out${report.written ? "" : "; nothing is written without --write"}`,
    ])
    return EXIT.ok
  },
}

/** [V31] */
async function rowsOf(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new Trouble(`${file} cannot be read: with --flow, name the file that has the rows`, EXIT.usage)
  })
  return { [path.basename(file)]: text }
}

async function textsOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  let left = MOST_BYTES
  for (const name of FOLDERS) {
    const root = path.join(folder, name)
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const file = path.join(entry.parentPath, entry.name)
      if (!entry.isFile() || !/\.(?:md|mdc|toml|ya?ml|json|txt)$/.test(file)) continue
      left -= (await stat(file)).size
      if (left < 0) throw new Trouble(`${folder} has more than 10 MiB to import: name a folder in it`, EXIT.usage)
      files[path.relative(folder, file).split(path.sep).join("/")] = await readFile(file, "utf8")
    }
  }
  return files
}

export const connect: Command = {
  name: "connect",
  says: "register an MCP server, list its tools, and approve them with --approve",
  words: ["<name>", "<url>"],
  options: [
    { flags: "--secret <name>", says: "the name of the secret that is its token (sluice secrets put)" },
    { flags: "--approve", says: "let agents use the tools that it has now" },
  ],
  examples: ["connect docs https://docs.example.com/mcp", "connect crm https://crm.example.com/mcp --secret crm --approve"],
  async run(context, words, given) {
    const transport = await transportOf(context)
    const at = `/v1/mcp-servers/${encodeURIComponent(words.text(0))}`
    const scope = given.text("secret")
    const body = {
      url: words.text(1),
      ...(scope === undefined ? {} : { auth: { scope } }),
      ...(given.flag("approve") ? { approve: true } : {}),
    }
    const found = await transport.json<object>("PUT", at, { body })
    context.show(found, () => plain(JSON.stringify(found, null, 2)).split("\n"))
    return EXIT.ok
  },
}

async function transportOf(context: Context): Promise<Transport> {
  const { url, key } = await context.connection()
  return new Transport({ url, key, retries: 2 })
}

/** The catalog's files on the server, as files of a project. */
export const pull: Command = {
  name: "catalog pull",
  says: "write the server's files into a folder; files that exist stay as they are",
  words: ["[folder]"],
  examples: ["catalog pull", "catalog pull from-production --profile production"],
  async run(context, words) {
    const folder = context.file(words.maybe(0) ?? ".")
    const bundle = await (await context.client()).catalog.export()
    const [written, kept]: [string[], string[]] = [[], []]
    for (const [kind, files] of Object.entries(bundle))
      for (const [name, text] of Object.entries(files ?? {})) {
        const at = pathOf(kind, name)
        const file = path.join(folder, at)
        // The names come from a server, and must not lead out of the folder.
        if (!file.startsWith(path.join(folder, kind === "settings" ? "" : kind) + path.sep))
          throw new Trouble(`${at} is not a path of a project`, EXIT.failed)
        await mkdir(path.dirname(file), { recursive: true })
        const isWritten = await writeFile(file, text, { flag: "wx" }).then(
          () => true,
          () => false,
        )
        ;(isWritten ? written : kept).push(at)
      }
    context.show({ folder, written, kept }, () => [
      ...written.map((name) => `+ ${name}`),
      ...kept.map((name) => `  ${name} exists and stays as it is`),
    ])
    return EXIT.ok
  },
}
