// Says what the build makes of the tables of keys [F3].
declare module "virtual:file-keys" {
  import type { FileKeys } from "../../../web/flow/file-keys.ts"

  export const FILE_KEYS: FileKeys
}
