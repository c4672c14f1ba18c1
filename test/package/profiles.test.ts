// Which server a command asks, and with which key: a key goes to the address that it was kept for and to no other.

import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { connectionOf, readProfiles, writeProfiles } from "../../cli/profiles.ts"

let folder = ""
let file = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-profiles-"))
  file = path.join(folder, "deep", "profiles.json")
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const KEPT = {
  current: "prod",
  profiles: { prod: { url: "https://prod.example", key: "sl_prod" }, test: { url: "https://test.example", key: "sl_test" } },
}
const none = async (): Promise<undefined> => undefined

describe("profiles", () => {
  test("[N5] the file is for its owner alone, also when it is written again", async () => {
    await writeProfiles(file, KEPT)
    await writeProfiles(file, KEPT)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
    expect(await readProfiles(file)).toEqual(KEPT)
  })

  test.each([
    ["the current profile", {}, {}, undefined, ["https://prod.example", "sl_prod"]],
    ["the project's own server before it, with the local key", {}, {}, "http://127.0.0.1:9", ["http://127.0.0.1:9", "sl_local_dev"]],
    [
      "SLUICE_URL and SLUICE_KEY before both",
      {},
      { SLUICE_URL: "https://e.example", SLUICE_KEY: "sl_e" },
      "http://127.0.0.1:9",
      ["https://e.example", "sl_e"],
    ],
    [
      "a named profile before these, with its own key",
      { profile: "test" },
      { SLUICE_URL: "https://e.example", SLUICE_KEY: "sl_e" },
      undefined,
      ["https://test.example", "sl_test"],
    ],
    [
      "a server that a file of the folder names, which gets no key of the environment",
      {},
      { SLUICE_KEY: "sl_e" },
      "http://127.0.0.1:9",
      ["http://127.0.0.1:9", "sl_local_dev"],
    ],
    [
      "the same with a key that was given for the command",
      { key: "sl_f" },
      { SLUICE_KEY: "sl_e" },
      "http://127.0.0.1:9",
      ["http://127.0.0.1:9", "sl_f"],
    ],
    ["SLUICE_PROFILE", {}, { SLUICE_PROFILE: "test" }, "http://127.0.0.1:9", ["https://test.example", "sl_test"]],
    [
      "--url and --key before everything",
      { url: "https://f.example", key: "sl_f" },
      { SLUICE_KEY: "sl_e" },
      undefined,
      ["https://f.example", "sl_f"],
    ],
  ])("[H11] %s", async (_, wish, env, local, [url, key]) => {
    await writeProfiles(file, KEPT)
    expect(await connectionOf(wish, { SLUICE_PROFILES: file, ...env }, async () => local)).toMatchObject({ url, key })
  })

  test.each([
    ["a profile's key is not sent to another address", { url: "https://evil.example" }],
    ["nor that of a profile that is named beside it", { url: "https://evil.example", profile: "test" }],
  ])("[N5] %s", async (_, wish) => {
    await writeProfiles(file, KEPT)
    await expect(connectionOf(wish, { SLUICE_PROFILES: file }, none)).rejects.toThrow("give a key for https://evil.example")
  })

  test("[H11] a missing profile names those that there are; a damaged file says what to do", async () => {
    await writeProfiles(file, KEPT)
    await expect(connectionOf({ profile: "prd" }, { SLUICE_PROFILES: file }, none)).rejects.toThrow(
      'no profile "prd" (there are prod, test)',
    )
    await writeFile(file, "{")
    await expect(readProfiles(file)).rejects.toThrow("delete it and log in again")
    expect(await readFile(file, "utf8")).toBe("{")
  })
})
