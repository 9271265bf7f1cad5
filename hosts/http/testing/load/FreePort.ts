import { Effect } from "effect"
import { anyFree } from "../../../localnet/nodes/Port.ts"

/** A free port on the loopback. */
export const freePort = (): Promise<number> => Effect.runPromise(anyFree)
