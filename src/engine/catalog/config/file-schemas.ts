// Makes the JSON Schemas of all files of a project, for editors: those that configure a tenant [F79] from the schemas that check them.

import { z } from "zod"
import { DEFINITION_SCHEMAS, definitionSchema, SCHEMA_HEAD } from "../../../core/project/file-schema.ts"
import type { JsonSchema } from "../../../core/json.ts"
import { ProjectFile } from "../../../core/project/project-file.ts"
import { CONFIG, CONFIG_NAMES } from "./config-kinds.ts"

export const SCHEMA_NAMES = [...DEFINITION_SCHEMAS, ...CONFIG_NAMES, "project"] as const
export type SchemaName = (typeof SCHEMA_NAMES)[number]

export function fileSchema(name: SchemaName): JsonSchema {
  const definition = DEFINITION_SCHEMAS.find((known) => known === name)
  if (definition !== undefined) return definitionSchema(definition)
  const { title, file, body } = { ...CONFIG, project: { title: "Sluice project", file: "sluice.yaml", body: ProjectFile } }[
    name as Exclude<SchemaName, (typeof DEFINITION_SCHEMAS)[number]>
  ]
  // A refinement has no form in JSON Schema; the check has the final say.
  const { $schema: _draft, ...schema } = z.toJSONSchema(body, { target: "draft-7", io: "input", unrepresentable: "any" })
  return { ...SCHEMA_HEAD, title, description: file, ...JSON.parse(JSON.stringify(schema)) }
}
