// Defines sluice.yaml, which makes a folder a project. Only the command line reads it.

import { z } from "zod"
import { CATALOG_KINDS, ITEM_KINDS, SETTING_FILES, type SettingFile } from "../flow/catalog-kinds.ts"
import { later } from "../schema/later.ts"

/** Members of a file in place of those that it has: objects merge, everything else replaces, null removes (RFC 7396). */
const Difference = later(() => z.record(z.string(), z.json()))
export type Difference = z.output<typeof Difference>

const ITEM_FOLDERS = ITEM_KINDS.map((kind) => CATALOG_KINDS[kind].folder)

const settings = () =>
  Object.fromEntries(
    SETTING_FILES.map((name) => [
      name,
      Difference.nullable().optional().describe(`What differs in \`${name}.yaml\`; null: the environment has no such file.`),
    ]),
  ) as Record<SettingFile, z.ZodOptional<z.ZodNullable<typeof Difference>>>

const items = () =>
  Object.fromEntries(
    ITEM_FOLDERS.map((folder) => [
      folder,
      z
        .record(z.string().max(100), Difference.nullable())
        .optional()
        .describe(`NAME → what differs in \`${folder}/NAME.yaml\`; null: the environment has no such file.`),
    ]),
  )

const Environment = later(() =>
  z.strictObject({
    server: z.string().min(1).max(2_048).optional().describe("The server's address."),
    profile: z.string().min(1).max(64).optional().describe("The profile of `sluice login` with its key."),
    ...settings(),
    ...items(),
  }),
)
export type Environment = z.output<typeof Environment>

export const ProjectFile = later(() =>
  z.strictObject({
    name: z.string().min(1).max(100).optional().describe("The project's name; drift is measured from its last apply."),
    tools: z
      .array(z.string().min(1).max(128))
      .max(1_000)
      .optional()
      .describe(
        "Names of tools that are neither built in nor in the folder: registered on the server, or added by src/index.ts under a name that is not written there.",
      ),
    port: z.int().min(0).max(65_535).optional().describe("The port of `sluice dev`; 0 for any free one."),
    environments: z
      .record(
        z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "must be the name of an environment: letters, digits, _, - and ."),
        Environment,
      )
      .optional()
      .describe("NAME → a server of the project and what differs there, for `--env NAME`."),
  }),
)
export type ProjectFile = z.output<typeof ProjectFile>

/** Path → what differs in the file, or null. */
export function differencesOf(environment: Environment): ReadonlyMap<string, Difference | null> {
  const given: Readonly<Record<string, unknown>> = environment
  const found = new Map<string, Difference | null>()
  for (const name of SETTING_FILES) {
    const one = environment[name]
    if (one !== undefined) found.set(`${name}.yaml`, one)
  }
  for (const folder of ITEM_FOLDERS)
    for (const [name, one] of Object.entries((given[folder] ?? {}) as Readonly<Record<string, Difference | null>>))
      found.set(`${folder}/${name}.yaml`, one)
  return found
}
