// Mounts the files of an agent's skills at /skills/NAME, read-only, beside the workspace [F61]. A skill's scripts run there, and its
// templates are copied from there. Only a command line that mentions skills sees them, because getting their sizes costs a read of each.

import type { SkillLibrary } from "../../ports/tool.ts"
import type { FileEntry, Workspace } from "../../ports/workspace.ts"
import { toHex } from "../../core/text/hex.ts"

export const SKILL_FOLDER = "skills"
const INDEX = "SKILL.md"
const MOST_FILES = 1_000 // limit: files of skills that a command line sees → further ones are not there
const MOST_BYTES = 16 * 1_048_576 // limit: bytes of skills that a command line sees → further files are not there
const READ_AT_ONCE = 6

/** Tells whether the command line, or the folder it starts in, mentions skills. */
export const speaksOfSkills = (command: string, folder: string): boolean =>
  command.includes(SKILL_FOLDER) || folder.startsWith(SKILL_FOLDER)

/** The workspace with the skills in it. A workspace file at the same path takes precedence. */
export async function withSkills(workspace: Workspace, skills: SkillLibrary): Promise<Workspace> {
  const mounted = await mount(skills)
  if (mounted.size === 0) return workspace
  const refused = (path: string): string | undefined =>
    mounted.has(path) ? "the files of a skill cannot be changed: copy them into the workspace" : undefined
  const under = (prefix: string, path: string): boolean => prefix === "" || path === prefix || path.startsWith(`${prefix}/`)
  const all: Workspace["survey"] = async (prefix) => {
    const own = await workspace.survey(prefix)
    const taken = new Set(own.map(({ path }) => path))
    const more = Array.from(mounted.values(), ({ entry }) => entry).filter(({ path }) => under(prefix, path) && !taken.has(path))
    return [...own, ...more].sort((a, b) => (a.path < b.path ? -1 : 1))
  }
  return {
    async stat(path) {
      return (await workspace.stat(path)) ?? mounted.get(path)?.entry
    },
    async read(path) {
      return (await workspace.read(path)) ?? mounted.get(path)?.body
    },
    async list(prefix) {
      const files = await all(prefix)
      workspace.named(files)
      return files
    },
    survey: all,
    named: (files) => workspace.named(files),
    async write(path, body) {
      const why = refused(path)
      if (why !== undefined) throw new Error(`${path}: ${why}`)
      return workspace.write(path, body)
    },
    async remove(path) {
      const why = refused(path)
      if (why !== undefined) throw new Error(`${path}: ${why}`)
      return workspace.remove(path)
    },
    refusal: (path) => refused(path) ?? workspace.refusal(path),
  }
}

interface Mounted {
  readonly entry: FileEntry
  readonly body: Uint8Array
}

async function mount(skills: SkillLibrary): Promise<ReadonlyMap<string, Mounted>> {
  const names = skills.names().flatMap((skill) => [INDEX, ...(skills.files(skill) ?? [])].map((file) => ({ skill, file })))
  const mounted = new Map<string, Mounted>()
  let bytes = 0
  for (let from = 0; from < Math.min(names.length, MOST_FILES) && bytes < MOST_BYTES; from += READ_AT_ONCE) {
    const part = names.slice(from, Math.min(from + READ_AT_ONCE, MOST_FILES))
    const texts = await Promise.all(part.map(({ skill, file }) => skills.read(skill, file)))
    for (const [i, { skill, file }] of part.entries()) {
      const text = texts[i]
      if (text === undefined) continue
      const body = new TextEncoder().encode(text)
      bytes += body.length
      const path = `${SKILL_FOLDER}/${skill}/${file}`
      mounted.set(path, { entry: { path, size: body.length, hash: await hashOf(body), modified: 0, skill: true }, body })
    }
  }
  return mounted
}

async function hashOf(body: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(body))))
}
