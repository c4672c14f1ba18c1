import { MemoryBlobs } from "../../src/engine/memory-store.ts"
import { blobsContract } from "./blobs.ts"

blobsContract("memory", () => new MemoryBlobs())
