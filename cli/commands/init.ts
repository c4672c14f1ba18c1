// `sluice init`: a project that runs, without a question and without overwriting anything.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { bundleOf } from "../../local/definition-files.ts"
import { VERSION } from "../../src/engine/version.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { PACKAGE } from "../package-name.ts"
import { dependencyOn, installed } from "../project/installed.ts"
import { usage } from "../program.ts"
import { ROOT } from "../root.ts"
import { completedManifest, scaffold, type Completed } from "../scaffold.ts"

const TEMPLATES = ["demo", "empty", "chat", "webhook"] as const
const TRY: Readonly<Record<(typeof TEMPLATES)[number], string>> = {
  demo: 'sluice run hello --rehearse --task "Greet Ada."',
  empty: 'sluice run first --rehearse --task "Try."',
  chat: "sluice run chat --rehearse --task Hello",
  webhook: 'sluice run inbound --rehearse --task "A new order came in."',
}

export const init: Command = {
  name: "init",
  says: `make a project: ${TEMPLATES.join(", ")}; files that exist stay as they are`,
  words: ["[template]"],
  options: [{ flags: "--dir <folder>", says: "the project's folder; this one by default" }],
  examples: ["init", "init chat --dir support-chat", "init webhook --json"],
  offline: true,
  async run(context, words, given) {
    const wanted = words.maybe(0) ?? "demo"
    const template = TEMPLATES.find((name) => name === wanted)
    if (template === undefined) throw usage(`there is no template "${wanted}": write ${TEMPLATES.join(", ")}`)
    const folder = context.file(given.text("dir") ?? ".")
    const present = await installed(folder, PACKAGE)
    if (present?.isOurs === false)
      throw usage(
        `${present.folder} is another package of that name, and its program would run as ${PACKAGE}: npm uninstall ${PACKAGE}, install ours, then init again`,
      )
    const dependency = await dependencyOn(ROOT, PACKAGE, VERSION)
    const files = { ...scaffold(nameOf(folder), PACKAGE, dependency), ...(await textsOf(path.join(ROOT, "templates", template))) }
    const [written, kept]: [string[], string[]] = [[], []]
    for (const [name, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
      ((await wrote(path.join(folder, name), text)) ? written : kept).push(name)
    const manifest = kept.includes("package.json") ? await completed(path.join(folder, "package.json")) : undefined
    const { TYPES_FILE, typesOf } = await import("../types/typed-project.ts")
    const types = path.join(folder, TYPES_FILE)
    if (await wrote(types, typesOf(await bundleOf(folder)))) written.push(TYPES_FILE)
    context.show({ folder, template, written, kept }, () => [
      ...written.map((name) => `+ ${name}`),
      ...kept.map((name) =>
        name === "package.json" && manifest !== undefined && manifest.added.length > 0
          ? `~ package.json exists and is completed: ${manifest.added.join("; ")}`
          : `  ${name} exists and stays as it is`,
      ),
      ...(manifest?.note === undefined ? [] : [`  ${manifest.note}`]),
      "",
      "Next:",
      ...(folder === context.world.cwd ? [] : [`  cd ${path.relative(context.world.cwd, folder)}`]),
      ...(present === undefined ? ["  npm install"] : []),
      "  npx sluice dev",
      `  npx ${TRY[template]}`,
    ])
    return EXIT.ok
  },
}

async function completed(file: string): Promise<Completed | undefined> {
  const made = completedManifest(await readFile(file, "utf8"))
  if (made !== undefined && made.added.length > 0) await writeFile(file, made.text)
  return made
}

/** A name that wrangler and npm accept. */
function nameOf(folder: string): string {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 50)
  return name === "" ? "my-flows" : name
}

async function textsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  const texts = files.map(async (file) => [path.relative(folder, file).split(path.sep).join("/"), await readFile(file, "utf8")] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** false: the file is there already. The check and the write are one call, so nothing that appears in between is lost. */
async function wrote(file: string, text: string): Promise<boolean> {
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(file, text, { flag: "wx" })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}
