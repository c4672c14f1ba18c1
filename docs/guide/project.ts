// Makes a reader's folder with the package: `npx sluice` in it is the command line.
//
// Without the registry, and without npx itself, which takes longer to start than the command takes to run: `here` types plain `sluice`.

import { existsSync } from "node:fs"
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import path from "node:path"

/**
 * The folder's `node_modules/.bin`, for the PATH. What `npm run package` has built is installed too, if it is there; `isMade`: its program
 * is typed, instead of that of the checkout.
 */
export async function installedIn(folder: string, root: string, isMade: boolean): Promise<string> {
  const bin = path.join(folder, "node_modules/.bin")
  const program = path.join(bin, "sluice")
  await mkdir(bin, { recursive: true })
  await writeFile(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, isMade ? "dist/package/bin/sluice.js" : "cli/sluice.ts")}' "$@"\n`,
  )
  await chmod(program, 0o755)
  const built = path.join(root, "dist/package")
  if (existsSync(built)) await symlink(built, path.join(folder, "node_modules/sluice"), "dir")
  return bin
}

/** The checkout has the other program that pages start. */
export const withoutNpx = (script: string): string =>
  script.replaceAll(/\bnpx (?:sluice\b|@modelcontextprotocol\/server-(?=everything))/g, (said) =>
    said === "npx sluice" ? "sluice" : "mcp-server-",
  )
