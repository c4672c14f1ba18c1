// Faults in the marks of names, and in what is judged by the spelling instead of by the request [G11, T30], each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const NAMES = "tools/names.test.ts"
const OVERRIDE = "core/tool/method-override.test.ts"
const ADDRESSES = "core/tool/policy/denylist-addresses.test.ts"
const REACH = "tools/reach.test.ts"

export const NAMED: readonly Mutant[] = [
  {
    name: "G11 did you mean, without the mark of the file",
    file: "tools/files/workspace-file.ts",
    find: `  workspace.named([near])\n`,
    put: ``,
    test: [NAMES, "[G11] a name that is tainted: read"],
  },
  {
    name: "G11 names of clean files are not private",
    file: "ports/workspace.ts",
    find: `private: skill !== true && (tainted !== true || isPrivate === true)`,
    put: `private: skill !== true && isPrivate === true`,
    test: [NAMES, "[G11] a name that is clean: ls"],
  },
  {
    name: "G11 a list of the workspace names nothing",
    file: "engine/run/call/staged-workspace.ts",
    find: `    const files = await this.survey(prefix)\n    this.named(files)\n`,
    put: `    const files = await this.survey(prefix)\n`,
    test: ["contract/workspace.test.ts", "[G11] a name that is listed or named"],
  },
  {
    name: "G11 a name that was there before counts as the call's own",
    file: "engine/run/call/staged-workspace.ts",
    find: `this.#written.has(file.path) ? this.#parts.index.stat(file.path) : file`,
    put: `this.#written.has(file.path) ? undefined : file`,
    test: ["contract/workspace.test.ts", "[G11] a name that is listed or named"],
  },
  {
    name: "G11 the shell's names have no marks",
    file: "tools/shell/bash-names.ts",
    find: `    this.#workspace.named(files)\n`,
    put: ``,
    test: [NAMES, "bash"],
  },
  {
    name: "G11 a refusal of the shell names a file without its mark",
    file: "tools/shell/bash-files.ts",
    find: `      if (file !== at && this.#workspace.refusal(`,
    put: `      if (file === "" && this.#workspace.refusal(`,
    test: [NAMES, "is refused for a file that it did not name"],
  },
  {
    name: "G11 a key that was not taken has no mark",
    file: "tools/objects/r2-sync.ts",
    find: `taken.some(({ tainted }) => tainted)`,
    put: `synced.some(({ tainted }) => tainted)`,
    test: [NAMES, "[G11] [T24] r2.sync names a file that it did not take"],
  },
  {
    name: "G11 keys of shared files are not private",
    file: "tools/objects/r2-sync.ts",
    find: `{ ...outcome, private: true, ...(isOutside`,
    put: `{ ...outcome, ...(isOutside`,
    test: [NAMES, "[G11] [T24] r2.sync names a file that it did not take"],
  },
  {
    name: "G11 ids of sessions are the tenant's own text",
    file: "tools/agents/sessions-list.ts",
    find: `sessions.some(({ tainted }) => tainted !== false)`,
    put: `false`,
    test: [NAMES, "[G11] [J25] an id that a sender chose"],
  },
  {
    name: "G11 a session is marked only by what is saved",
    file: "engine/run/sticky-session.ts",
    find: `...(isOutside ? { tainted: true } : {}) }`,
    put: `}`,
    test: ["engine/run/session/sticky-session.test.ts", "[G11] [J25] a session whose id"],
  },
  {
    name: "G11 a write that does not say where it goes stays inside",
    file: "core/tool/reach.ts",
    find: `tool.reach ?? (tool.effect === "write" && !staysInside(tool) ? ANYWHERE : undefined)`,
    put: `tool.reach`,
    test: [REACH, "[G11] leaves the run when it writes"],
  },
  {
    name: "G11 r2.sync stays inside",
    file: "tools/objects/r2-sync.ts",
    find: `  reach: { to: { within: "tenant" }, method: { fixed: "POST" } },\n`,
    put: ``,
    test: [REACH, "that writes outside its run says where"],
  },
  {
    name: "G11 an HTTP tool is judged by its definition alone",
    file: "core/tool/reach.ts",
    find: `  if (overrides?.(args) === true) return true\n`,
    put: ``,
    test: [OVERRIDE, "[G11] a GET whose arguments make the name of a parameter writes"],
  },
  {
    name: "G11 a name is decoded once",
    file: "core/tool/method-override.ts",
    find: `const MOST_DECODED = 5`,
    put: `const MOST_DECODED = 1`,
    test: [OVERRIDE, "%255Fmethod=DELETE"],
  },
  {
    name: "T30 addresses are compared as they are spelled",
    file: "core/tool/policy/denylist.ts",
    find: `[args, plain, ...forms]`,
    put: `[args, plain]`,
    test: [ADDRESSES, "[T30] https://evil.example/a/../admin is met by"],
  },
  {
    name: "T30 a rule's capital letters hide a host",
    file: "core/tool/policy/denylist.ts",
    find: `anyCase?.ok && anyCase.value.test(texts.hosts)`,
    put: `anyCase?.ok === false`,
    test: [ADDRESSES, "[T30] evil.example is met as"],
  },
]
