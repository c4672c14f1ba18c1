import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { mustBeLocal } from "../../local/environment.ts"
import { startInstances } from "../../local/instances.ts"
import { readSettings } from "../../local/settings.ts"
import { startSluice } from "../../package/testing.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const KEYS = { VAULT_KEY: "w8bX2kq0vPz7RtYcN5hJ3mLs9dFgA1eU", ADMIN_KEY: "Zq4nT7yHk2Vb9XcM0pLr5sWd8fGj3aEo" }
const production = { ENVIRONMENT: "production", ...KEYS }

describe("the environment of a server of this machine", () => {
  test("[N5] is local unless a variable says otherwise, by either of its names", () => {
    expect(readSettings({}).bindings["ENVIRONMENT"]).toBe("local")
    expect(readSettings({ ENVIRONMENT: "", SLUICE_ENVIRONMENT: "" }).bindings["ENVIRONMENT"]).toBe("local")
    for (const name of ["ENVIRONMENT", "SLUICE_ENVIRONMENT"])
      expect(readSettings({ ...KEYS, [name]: "production" }).bindings).toMatchObject({ ENVIRONMENT: "production", ...KEYS })
    expect(readSettings({ ...production, SLUICE_ENVIRONMENT: "production" }).bindings["ENVIRONMENT"]).toBe("production")
    expect(readSettings({ ...KEYS, ENVIRONMENT: "staging" }).bindings["ENVIRONMENT"]).toBe("staging")
  })

  test.each<readonly [string, Readonly<Record<string, string>>, string]>([
    [
      "two values",
      { ENVIRONMENT: "production", SLUICE_ENVIRONMENT: "local", ...KEYS },
      'ENVIRONMENT is "production" and SLUICE_ENVIRONMENT is "local"',
    ],
    ["two values, the other way", { ENVIRONMENT: "local", SLUICE_ENVIRONMENT: "production", ...KEYS }, "set only one of them"],
    ["a name in capitals", { ...production, ENVIRONMENT: "Local" }, 'ENVIRONMENT is "Local": write local, production'],
    ["a name with a space", { ...production, ENVIRONMENT: "local " }, 'ENVIRONMENT is "local "'],
    [
      "no keys",
      { ENVIRONMENT: "production" },
      "VAULT_KEY is not set, and ADMIN_KEY is not set: the environment production has no publicly known keys",
    ],
    ["no VAULT_KEY", { ...production, VAULT_KEY: "" }, "VAULT_KEY is not set: "],
    ["a short ADMIN_KEY", { ...production, ADMIN_KEY: "sl_admin_local" }, "ADMIN_KEY has 14 of at least 32 characters"],
    ["a key of one character less", { ...production, VAULT_KEY: KEYS.VAULT_KEY.slice(1) }, "VAULT_KEY has 31 of at least 32 characters"],
    [
      "a key with a line's end",
      { ...production, VAULT_KEY: `${KEYS.VAULT_KEY}\n` },
      "VAULT_KEY begins or ends with a space or a line break",
    ],
    ["a key of one character", { ...production, ADMIN_KEY: "x".repeat(40) }, "ADMIN_KEY has only 1 different characters"],
    ["one key for both", { ...production, ADMIN_KEY: KEYS.VAULT_KEY }, "VAULT_KEY and ADMIN_KEY are the same"],
    ["no keys in staging", { SLUICE_ENVIRONMENT: "staging" }, "the environment staging has no publicly known keys"],
  ])("[N5] with %s nothing serves", (_, env, message) => {
    expect(() => readSettings(env)).toThrow(expect.objectContaining({ message: expect.stringContaining(message), code: 2 }))
  })

  test("[N5] what serves with known keys alone refuses any other: sluice dev, startSluice, --instances", async () => {
    expect(() => mustBeLocal("sluice dev", {})).not.toThrow()
    expect(() => mustBeLocal("sluice dev", { SLUICE_ENVIRONMENT: "production" })).toThrow("sluice dev serves with publicly known keys")
    vi.stubEnv("ENVIRONMENT", "production")
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(startSluice()).rejects.toThrow("startSluice serves with publicly known keys, and the environment is production")
    await expect(startInstances(readSettings(production), ["acme"])).rejects.toThrow("--instances is for development")
  })

  test("[N5] a server without its keys ends with 2 and one sentence, before it builds or touches a folder", () => {
    const data = mkdtempSync(path.join(tmpdir(), "sluice-production-"))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    for (const script of ["serve", "wrangler-dev"]) {
      const env = {
        PATH: process.env["PATH"],
        HOME: data,
        ENVIRONMENT: "production",
        VAULT_KEY: "short",
        SLUICE_DATA: path.join(data, "data"),
        PORT: "0",
      }
      const { status, stderr } = spawnSync(process.execPath, [path.join(root, "local", `${script}.ts`)], {
        cwd: root,
        env,
        encoding: "utf8",
      })
      expect(stderr.trim().split("\n"), script).toEqual([
        expect.stringMatching(/^sluice: VAULT_KEY (?:has 5 of at least 32 characters|is not set), and ADMIN_KEY is not set: /),
      ])
      expect(status, script).toBe(2)
    }
    expect(readdirSync(data)).toEqual([])
  })
})
