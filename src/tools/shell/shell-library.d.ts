// The shell's library with a meter in it. The build makes it (local/shell-library.ts).

import type { Bash as Shell } from "just-bash/browser"
import type { ShellMeter } from "./shell-meter.ts"

/** The library made anew: what an earlier command line left in it, another one never sees. */
export declare function library(meter: ShellMeter): { readonly Bash: typeof Shell }
