// The version of this build, as /healthz, receipts and traces name it.

export const VERSION = "0.1.0"
