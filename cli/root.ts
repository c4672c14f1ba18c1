// Finds the program's root: this repository, or the installed package. Both have `templates` and `dist` at their top, and the bundle of the
// command line is one folder below it, as this file is.

import { fileURLToPath } from "node:url"

export const ROOT = fileURLToPath(new URL("..", import.meta.url))
