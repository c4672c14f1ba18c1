// Makes the JSON Schemas of all files of a project, for editors: those that configure a tenant [F79] from the schemas that check them.

import { z } from "zod"
import { DEFINITION_SCHEMAS, definitionSchema, SCHEMA_HEAD } from "../../../core/project/file-schema.ts"
import type { JsonSchema } from "../../../core/json.ts"
import { ProjectFile } from "../../../core/project/project-file.ts"
import { CONFIG, CONFIG_NAMES } from "./config-kinds.ts"

export const SCHEMA_NAMES = [...DEFINITION_SCHEMAS, ...CONFIG_NAMES, "project"] as const
export type SchemaName = (typeof SCHEMA_NAMES)[number]

/** A refinement has no form in JSON Schema; the check has the final say. Draft 7, because editors support it. */
const OPTIONS = { target: "draft-7", io: "input", unrepresentable: "any" } as const

/** `made`: how the schema of a file that configures a tenant becomes one of JSON. */
export function fileSchema(
  name: SchemaName,
  made: (body: z.ZodType, options: typeof OPTIONS) => object = (body, options) => z.toJSONSchema(body, options),
): JsonSchema {
  const definition = DEFINITION_SCHEMAS.find((known) => known === name)
  if (definition !== undefined) return definitionSchema(definition)
  const { title, file, body } = { ...CONFIG, project: { title: "Sluice project", file: "sluice.yaml", body: ProjectFile } }[
    name as Exclude<SchemaName, (typeof DEFINITION_SCHEMAS)[number]>
  ]
  const { $schema: _draft, ...schema } = JSON.parse(JSON.stringify(made(body, OPTIONS))) as JsonSchema
  return { ...SCHEMA_HEAD, title, description: file, ...schema }
}
