// Maps catalog paths to ids [F5]: `flows/legal/nda.yaml` is the flow `legal:nda`. Every catalog write goes through here.
//
// A path is split and checked against an allow-list, never decoded or repaired. Text that another reader could take for a
// different place (`..`, `%`, backslash, control and look-alike characters) is refused with the reason.

import { normalizePath } from "../text/path.ts"
import { err, ok, type Result } from "../result.ts"
import { isFlowId, isName } from "../text/names.ts"
import {
  CATALOG_KINDS,
  FILE_KINDS,
  isBeside,
  ITEM_KINDS,
  SETTING_FILES,
  type BesideKind,
  type ItemKind,
  type SettingFile,
} from "./catalog-kinds.ts"

export type CatalogPath =
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "flow" | BesideKind; readonly id: string }
  | { readonly kind: "skill"; readonly skill: string; readonly file: string }
  | { readonly kind: "scorer" | "scorer-code"; readonly name: string }
  | { readonly kind: ItemKind; readonly name: string }
  | { readonly kind: "setting"; readonly name: SettingFile }

/** The kind of file at this path, or why the path is invalid. */
export function catalogPath(path: string): Result<CatalogPath, string> {
  const clean = normalizePath(path)
  if (!clean.ok) return clean
  // A path has a single spelling: `./agents/x.md` or `agents//x.md` would be a second name for the same file.
  if (clean.value !== path)
    return err(
      path.startsWith("/")
        ? `${JSON.stringify(path)} is absolute: write ${JSON.stringify(clean.value)}`
        : `${JSON.stringify(path)}: write it as ${JSON.stringify(clean.value)}`,
    )
  if (!/^[\p{L}\p{M}\p{N} ._+@()=,~#$&!'/-]+$/u.test(path) || path !== path.normalize("NFKC"))
    return err(`${JSON.stringify(path)} contains a character that names cannot have: use letters, digits, "-", "_" and "."`)
  const [folder, ...rest] = path.split("/")
  const file = rest.at(-1) ?? ""
  switch (folder) {
    case "agents": {
      const name = file.slice(0, -3)
      if (rest.length !== 1 || !file.endsWith(".md")) return err(`${JSON.stringify(path)}: an agent's file is agents/NAME.md`)
      return isName(name) ? ok({ kind: "agent", name }) : err(badName(path, name))
    }
    case "flows":
      return flowPathParts(path, rest, file)
    case "skills": {
      const [skill = "", ...inside] = rest
      if (inside.length === 0) return err(`${JSON.stringify(path)}: a skill's file is skills/NAME/FILE, beginning with SKILL.md`)
      return isName(skill) ? ok({ kind: "skill", skill, file: inside.join("/") }) : err(badName(path, skill))
    }
    case "scorers": {
      const [, name = "", ending] = /^(.*)\.(yaml|[tj]s)$/.exec(file) ?? []
      if (rest.length !== 1 || ending === undefined)
        return err(`${JSON.stringify(path)}: a scorer's file is scorers/NAME.yaml, its handler scorers/NAME.ts`)
      return isName(name) ? ok({ kind: ending === "yaml" ? "scorer" : "scorer-code", name }) : err(badName(path, name))
    }
    case "tests":
      return file.endsWith(".test.yaml")
        ? flowPathParts(path, rest, file)
        : err(`${JSON.stringify(path)}: the tests of a flow are tests/NAME.test.yaml`)
    default: {
      const setting = SETTING_FILES.find((name) => path === `${name}.yaml`)
      if (setting !== undefined) return ok({ kind: "setting", name: setting })
      const name = file.slice(0, -5)
      const kind = ITEM_KINDS.find((one) => CATALOG_KINDS[one].folder === folder)
      if (kind === undefined) return err(`${JSON.stringify(path)} is outside the catalog: files are ${PLACES.join(", ")}`)
      if (rest.length !== 1 || !file.endsWith(".yaml")) return err(`${JSON.stringify(path)}: a ${kind}'s file is ${folder}/NAME.yaml`)
      if (kind === "tool" && /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/.test(name)) return ok({ kind, name })
      return kind !== "tool" && isName(name) ? ok({ kind, name }) : err(badName(path, name))
    }
  }
}

const PLACES: readonly string[] = [
  "agents/NAME.md",
  "flows/NAME.yaml",
  "flows/NAME.rehearsal.yaml",
  "tests/NAME.test.yaml",
  "skills/NAME/FILE",
  "scorers/NAME.yaml",
  ...ITEM_KINDS.map((kind) => `${CATALOG_KINDS[kind].folder}/NAME.yaml`),
  ...SETTING_FILES.map((name) => `${name}.yaml`),
]

function flowPathParts(path: string, rest: readonly string[], file: string): Result<CatalogPath, string> {
  if (file.endsWith(".yml")) return err(`${JSON.stringify(path)}: a flow's file ends in .yaml`)
  const kind = FILE_KINDS.filter(isBeside).find((one) => file.endsWith(`.${one}.yaml`)) ?? "flow"
  const suffix = kind === "flow" ? ".yaml" : `.${kind}.yaml`
  if (!file.endsWith(suffix))
    return err(
      `${JSON.stringify(path)}: a flow's file is flows/NAME.yaml, its rehearsal flows/NAME.rehearsal.yaml, its tests flows/NAME.test.yaml`,
    )
  const last = file.slice(0, -suffix.length)
  // `flows/legal/nda/flow.yaml` is legal:nda; `flows/flow.yaml` has no folder to be named after and is `flow`.
  const parts = last === "flow" && rest.length > 1 ? rest.slice(0, -1) : [...rest.slice(0, -1), last]
  const odd = parts.find((part) => !isName(part))
  if (odd !== undefined) return err(badName(path, odd))
  const id = parts.join(":")
  return isFlowId(id) ? ok({ kind, id }) : err(`${JSON.stringify(path)} is too long`)
}

const badName = (path: string, name: string): string =>
  `${JSON.stringify(path)}: ${JSON.stringify(name)} is not a valid name: use letters, digits, "-" and "_"`

/** The path of a new flow. */
export const flowPath = (id: string): string => `flows/${id.replaceAll(":", "/")}.yaml`

/** `undefined` if the path is not a flow file; `catalogPath` says why. */
export function flowIdOf(path: string): string | undefined {
  const at = catalogPath(path)
  return at.ok && at.value.kind === "flow" ? at.value.id : undefined
}
