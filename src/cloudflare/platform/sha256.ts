// SHA-256 as lower-case hex, at once: between a signal and its commit nothing may be waited for [J15].

import { createHash } from "node:crypto"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
