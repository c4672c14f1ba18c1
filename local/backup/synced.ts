// Waits until files and folders are on the disk, so that a power cut takes nothing of what was said to be done.

import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs"
import path from "node:path"

/** Of a folder: the names in it. Not every system can do that. */
export function synced(name: string): void {
  if (process.platform === "win32") return
  const handle = openSync(name, "r")
  try {
    fsyncSync(handle)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["EINVAL", "ENOTSUP"].includes(String(error.code)))) throw error
  } finally {
    closeSync(handle)
  }
}

/** The folder and all folders in it. */
export function syncFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) syncFolders(path.join(folder, entry.name))
  synced(folder)
}
