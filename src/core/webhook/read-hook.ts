// Reads the settings of a hook [W1]: fills in defaults, and checks what a schema cannot express about its templates and filter.

import type { z } from "zod"
import type { HookBody } from "./hook-body.ts"
import { err, ok, type Result } from "../result.ts"
import { startKeys } from "../start/start-keys.ts"
import { filterFault } from "./filter.ts"
import { isOwnKind, type HookSettings } from "./hook.ts"
import { readMapping, templateFaults, type MappingFault } from "./mapping.ts"

export function readHook(body: z.output<typeof HookBody>): Result<HookSettings, readonly MappingFault[]> {
  const { mapping = {}, header, autonomous = true, enabled = true, ...rest } = body
  const read = readMapping(mapping, "/mapping")
  const faults: MappingFault[] = read.ok ? [] : [...read.error]
  const filter = rest.filter === undefined ? undefined : filterFault(rest.filter)
  if (filter !== undefined) faults.push({ pointer: "/filter", ...filter })
  if (rest.dedupe !== undefined) faults.push(...templateFaults(rest.dedupe, "/dedupe"))
  for (const [member, key] of startKeys(rest.start)) faults.push(...templateFaults(key, `/start/${member}/key`))
  for (const [name, value] of Object.entries({ header, dedupe: rest.dedupe }))
    if (value !== undefined && !isOwnKind(rest.kind))
      faults.push({ pointer: `/${name}`, message: `is allowed only for the kinds hmac and token; ${rest.kind} defines its own` })
  if (!read.ok || faults.length > 0) return err(faults)
  return ok({ ...rest, mapping: read.value, autonomous, enabled, ...(header === undefined ? {} : { header: header.toLowerCase() }) })
}
