// SHA-256 as lowercase hex, computed synchronously, because nothing may be awaited between a signal and its commit [J15].

import { createHash } from "node:crypto"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
