// Stores files that callers send with starts of runs [F55].

import type { FileFault, GivenFiles } from "../core/run/given-file.ts"
import type { StartFile } from "../core/run/event-parts.ts"
import type { Result } from "../core/result.ts"

export interface GivenFilesPort {
  /** Stores the bodies, without the tenant's secrets. `pointer`: where the files stand in the request. */
  keep(files: GivenFiles, pointer: string): Promise<Result<StartFile[], readonly FileFault[]>>
  /** [F71] The request that kept them was refused: what belongs to nobody else goes. */
  leave(): void
  /** Why the tenant's storage has no room for so many more bytes [H6]; undefined: it has. */
  tooMuch(bytes: number): Promise<string | undefined>
}
