// `backup` and `restore` of a whole server on this machine [O54]. What copies is loaded when the command runs.

import path from "node:path"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { usage } from "../program.ts"

const SERVER = { flags: "--server <data>", says: "the server's data folder" }

export const backup: Command = {
  name: "backup",
  says: "copy all data of a server on this machine as of one moment, whether it is running or not",
  words: ["<dir>"],
  options: [SERVER],
  examples: ["backup /backups/sluice --server /var/lib/sluice"],
  offline: true,
  async run(context, words, given) {
    const data = given.text("server")
    if (data === undefined) throw usage("say which data folder: sluice backup DIR --server DATA")
    const { cwd } = context.world
    const { backUp } = await import("../../local/backup/backup.ts")
    const { folder, at, files, bytes, halted } = await backUp(path.resolve(cwd, data), path.resolve(cwd, words.text(0)))
    context.show({ backup: folder, at, files, bytes, halted_ms: halted ?? null }, () => [
      `${folder}: ${files} files, ${sized(bytes)}, with their checksums`,
      halted === undefined ? "no server ran" : `the server stood still for ${(halted / 1000).toFixed(2)} s and goes on`,
      "The VAULT_KEY is not in it, and without that key no secret in it opens: keep it elsewhere.",
    ])
    return EXIT.ok
  },
}

export const restore: Command = {
  name: "restore",
  says: "put a backup of a server into an empty folder, after checking every byte of it",
  words: ["<dir>"],
  options: [SERVER, { flags: "--at <time>", says: "the backup of that time, or the last whose name begins so; the newest by default" }],
  examples: ["restore /backups/sluice --server /var/lib/sluice", "restore /backups/sluice --at 2026-11-29 --server ./data"],
  offline: true,
  async run(context, words, given) {
    const data = given.text("server")
    if (data === undefined) throw usage("say which data folder: sluice restore DIR --server DATA")
    const { cwd, env } = context.world
    const { withSecretFiles } = await import("../../local/secret-files.ts")
    const restoring = await import("../../local/backup/restore.ts")
    const { from, at, files, bytes, hasMark } = restoring.restore(path.resolve(cwd, words.text(0)), path.resolve(cwd, data), {
      at: given.text("at"),
      vaultKey: withSecretFiles(env)["VAULT_KEY"],
    })
    context.show({ backup: from, at, files, bytes, data: path.resolve(cwd, data) }, () => [
      `${data}: ${files} files, ${sized(bytes)}, as they were at ${at}`,
      `Serve it with the VAULT_KEY of then${hasMark ? "; another one is refused" : ""}. Runs go on as after a crash.`,
      "What the first server did since then is done again, with the same idempotency keys: never serve both.",
      "Keys that were revoked since then are good again: revoke them again.",
    ])
    return EXIT.ok
  },
}

const sized = (bytes: number): string => (bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`)
