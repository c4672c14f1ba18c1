// `npm run dev` runs this first: wrangler bundles the Worker itself, and needs the shell's library with its meter in it.

import { makeShellLibrary } from "../local/shell-library.ts"

await makeShellLibrary()
